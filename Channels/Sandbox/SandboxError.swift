public import Foundation
internal import NIOCore

/// The error of a sandbox that cannot start.
public enum SandboxError: Error, Hashable, LocalizedError {
    /// Another process uses the port.
    case portTaken(Int)

    init?(_ error: any Error, port: Int) {
        guard (error as? IOError)?.errnoCode == EADDRINUSE else { return nil }
        self = .portTaken(port)
    }

    public var errorDescription: String? {
        switch self {
        case .portTaken(let port): "the port \(port) is in use; expected a free one, or 0 for any"
        }
    }
}
