import NIOConcurrencyHelpers
import NIOCore

/// Which connections are open, and how many there have been.
final class ConnectionLedger: Sendable {
    private struct State {
        var accepted = 0
        var open: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = NIOLockedValueBox(State())

    /// How many connections there have been.
    var accepted: Int { state.withLockedValue { $0.accepted } }

    /// Enters a connection; it leaves the ledger on its own when it closes. Call it on the connection's event loop, before
    /// its pipeline is built.
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

    /// Closes every open connection at once, without a TLS farewell.
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

/// Stands between the socket and TLS. A close from here skips the TLS handler, which on closing waits up to five
/// seconds for the peer's close_notify.
private final class SocketSide: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    static let name = "sandbox.socket-side"
}
