#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What can go wrong with a loopback server itself, as opposed to what it was asked to do wrong.
public enum LoopbackServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A call to the operating system failed: its name, and the `errno` it left.
    case systemCall(String, code: Int32)

    /// What was waited for did not happen in time; the text says what was expected and what came.
    case timedOut(String)

    /// The server was closed while something was waited for; the text says what was expected and what came.
    case closed(String)

    /// The server needs a function of a library that this process has not loaded: TLS and certificates need the OpenSSL that
    /// libcurl brings, HTTP/2 its nghttp2.
    case missing(function: String)

    /// OpenSSL refused what it was asked for; the text says what that was.
    case refusedByOpenSSL(String)

    /// The error in words.
    public var description: String {
        switch self {
        case .systemCall(let name, let code): "\(name) failed: \(String(cString: strerror(code))) (errno \(code))"
        case .timedOut(let report): "timed out: \(report)"
        case .closed(let report): "the server was closed: \(report)"
        case .missing(let function): "\(function) is in no library that this process has loaded"
        case .refusedByOpenSSL(let what): "OpenSSL refused \(what)"
        }
    }

    /// The failure of the call that was just made on this thread.
    static func last(_ name: String) -> LoopbackServerError {
        .systemCall(name, code: errno)
    }
}
