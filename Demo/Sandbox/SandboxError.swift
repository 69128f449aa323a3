internal import CoreAPITesting
public import Foundation

/// The error of a sandbox that cannot start.
public enum SandboxError: Error, Hashable, LocalizedError {
    /// Another process uses the port.
    case portTaken(Int)
    /// No port has this number.
    case portOutOfRange(Int)

    init?(_ error: LoopbackServerError, port: Int) {
        guard case .systemCall(_, EADDRINUSE) = error else { return nil }
        self = .portTaken(port)
    }

    public var errorDescription: String? {
        switch self {
        case .portTaken(let port): "the port \(port) is in use; expected a free one, or 0 for any"
        case .portOutOfRange(let port): "expected a port from 0 to 65535, got \(port)"
        }
    }
}
