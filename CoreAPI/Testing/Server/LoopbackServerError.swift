#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A failure of the loopback server itself, as opposed to one that a test asked for.
public enum LoopbackServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A call to the operating system failed: its name, and its `errno`.
    case systemCall(String, code: Int32)

    /// An expected event did not happen in time; the text says what was expected and what happened.
    case timedOut(String)

    /// The server was closed during a wait; the text says what was expected and what happened.
    case closed(String)

    /// The server needs a function of a library that this process has not loaded. TLS and certificates need libcurl's OpenSSL,
    /// HTTP/2 its nghttp2.
    case missing(function: String)

    /// OpenSSL rejected a request; the text names it.
    case rejectedByOpenSSL(String)

    /// The error as text.
    public var description: String {
        switch self {
        case .systemCall(let name, let code): "\(name) failed: \(String(cString: strerror(code))) (errno \(code))"
        case .timedOut(let report): "timed out: \(report)"
        case .closed(let report): "the server was closed: \(report)"
        case .missing(let function): "\(function) is in no library that this process has loaded"
        case .rejectedByOpenSSL(let what): "OpenSSL rejected \(what)"
        }
    }

    /// The failure of the last call on this thread.
    static func last(_ name: String) -> LoopbackServerError {
        .systemCall(name, code: errno)
    }
}
