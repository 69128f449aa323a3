/// How far a transfer has come.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes so far. The number falls when a body is sent or requested again from its beginning.
    public var completed: Int64
    /// Bytes in all; `nil` if they are not known.
    public var total: Int64?

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - completed: bytes so far.
    ///   - total: bytes in all; `nil` if they are not known.
    public init(completed: Int64 = 0, total: Int64? = nil) {
        self.completed = completed
        self.total = total
    }

    /// The part that is done, from 0 to 1; `nil` without a total.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(max(Double(completed) / Double($0), 0), 1) : 1 }
    }
}
