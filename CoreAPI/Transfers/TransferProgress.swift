/// How far a transfer is.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes so far. After a restart it begins again at 0.
    public let completed: Int64
    /// Bytes in all; `nil` if the length is not known.
    public let total: Int64?

    /// Makes a value.
    public init(completed: Int64, total: Int64?) {
        self.completed = completed
        self.total = total
    }

    /// From 0 to 1; `nil` if the length is not known. 1 for an empty body.
    public var fraction: Double? {
        guard let total else { return nil }
        return total > 0 ? min(max(Double(completed) / Double(total), 0), 1) : 1
    }
}
