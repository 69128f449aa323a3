import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore

/// A connection as Hummingbird makes it, added to the ledger first.
struct LedgeredChannel: ServerChildChannel {
    let upgrade: HTTP2UpgradeChannel
    let connections: ConnectionLedger

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP2UpgradeChannel.Value> {
        do {
            try connections.enter(channel)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return upgrade.setup(channel: channel, logger: logger)
    }

    func handle(value: HTTP2UpgradeChannel.Value, logger: Logger) async {
        await upgrade.handle(value: value, logger: logger)
    }
}
