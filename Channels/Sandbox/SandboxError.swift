public import Foundation
internal import NIOCore

/// Why a sandbox could not be started.
public enum SandboxError: Error, Hashable, LocalizedError {
    /// Something else listens there.
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
