public import Foundation

/// A body cannot be read in the way that its reader wants.
public enum BodyError: Error, Hashable, LocalizedError {
    /// It has more bytes than its reader allows.
    case tooLarge(limit: Int)
    /// A sequence began with other bytes than before, for example because it can be read only once. `offset` is that of the first
    /// byte that is another one.
    case changed(offset: Int)
    /// A sequence gave fewer bytes than an earlier attempt has read, for example because it can be read only once.
    case shrunk(expected: Int, found: Int)
    /// It can be read only once, such as the body of a response, and was read a second time.
    case readTwice
    /// Its bytes were needed before the request was sent, for a signature.
    case notInMemory(Source)

    /// Where the bytes are.
    public enum Source: Sendable, Hashable {
        /// On the disk.
        case file
        /// In a stream that is read once.
        case stream
    }

    public var errorDescription: String? {
        switch self {
        case .tooLarge(let limit): "the body is larger than the \(limit) bytes that its reader allows"
        case .changed(let offset):
            "expected the bytes of an earlier attempt, found others from offset \(offset) on; make the sequence anew for each "
                + "attempt"
        case .shrunk(let expected, let found):
            "expected \(expected) bytes as in an earlier attempt, found \(found); make the sequence anew for each attempt"
        case .readTwice: "the body was read before, and comes over the network only once"
        case .notInMemory(let source):
            "the body's bytes are needed before the request is sent; expected no body or one in memory, got a \(source)"
        }
    }
}
