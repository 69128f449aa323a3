public import Foundation

/// What a request sends after its head.
public enum RequestBody: Sendable {
    case none
    /// Bytes in memory, sent with a `Content-Length`.
    case bytes(Data)
    /// A file, read while it is sent; its size is taken when the attempt starts.
    case file(URL)
    /// Bytes made while they are sent.
    case stream(BodyStream)

    var isNone: Bool {
        if case .none = self { true } else { false }
    }

    public var isEmpty: Bool {
        switch self {
        case .none: true
        case .bytes(let data): data.isEmpty
        case .file, .stream: false
        }
    }
}

/// A body that is produced piece by piece, anew for every attempt.
public struct BodyStream: Sendable {
    /// Reads up to `limit` bytes; an empty `Data` ends the body. Called on the transport's thread: it may read a file, it may not
    /// wait for a network or a lock.
    public typealias Read = @Sendable (_ limit: Int) throws -> Data

    /// The number of bytes, or `nil` for a chunked upload (RFC 9112 §7.1).
    public let length: Int64?
    /// Starts from the beginning; called once per attempt.
    public let open: @Sendable () throws -> Read

    public init(length: Int64? = nil, open: @escaping @Sendable () throws -> Read) {
        self.length = length
        self.open = open
    }
}
