import NIOConcurrencyHelpers
import NIOCore

/// The open connections, and the count of all accepted ones.
final class ConnectionLedger: Sendable {
    private struct State {
        var accepted = 0
        var open: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = NIOLockedValueBox(State())

    /// How many connections were accepted.
    var accepted: Int { state.withLockedValue { $0.accepted } }

    /// Adds a connection; it is removed when it closes. Call this on the connection's event loop, before its pipeline is built.
    func enter(_ channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(SocketSide(), name: SocketSide.name)
        let id = ObjectIdentifier(channel)
        state.withLockedValue {
            $0.accepted += 1
            $0.open[id] = channel
        }
        channel.closeFuture.whenComplete { [weak self] _ in
            self?.state.withLockedValue { _ = $0.open.removeValue(forKey: id) }
        }
    }

    /// Closes every open connection at once, without TLS's `close_notify`.
    func cutAll() {
        for channel in state.withLockedValue({ Array($0.open.values) }) {
            channel.eventLoop.execute {
                let pipeline = channel.pipeline.syncOperations
                guard let context = try? pipeline.context(name: SocketSide.name) else { return }
                context.close(promise: nil)
            }
        }
    }
}

/// A handler between the socket and TLS. A close from here skips the TLS handler, which would wait up to five seconds for the
/// peer's close_notify.
private final class SocketSide: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    static let name = "sandbox.socket-side"
}
