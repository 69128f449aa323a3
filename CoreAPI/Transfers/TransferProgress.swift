internal import Foundation

/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes so far. The number falls if a body is sent or requested again from its beginning.
    public var completed: Int64
    /// The total number of bytes; `nil` if it is not known.
    public var total: Int64?
    /// The part of ``completed`` that an earlier download or upload had transferred. 0 if this one begins anew, for example
    /// because the server no longer has the same file.
    public var reused: Int64 = 0
    /// How often the transfer has begun again without the bytes that it had.
    package var restarts = 0

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - completed: bytes so far.
    ///   - total: the total number of bytes; `nil` if it is not known.
    public init(completed: Int64 = 0, total: Int64? = nil) {
        self.completed = completed
        self.total = total
    }

    /// The completed fraction, from 0 to 1; `nil` without a total.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(max(Double(completed) / Double($0), 0), 1) : 1 }
    }
}

extension Progress {
    /// Copies a transfer's progress into Foundation's.
    func show(_ progress: TransferProgress) {
        // In Foundation a negative total means an unknown one.
        totalUnitCount = progress.total ?? -1
        completedUnitCount = progress.completed
    }
}
