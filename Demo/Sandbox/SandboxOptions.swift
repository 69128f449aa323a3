public import Foundation

/// The behaviour of a ``SandboxServer``. By default the server takes a free port and never misbehaves.
public struct SandboxOptions: Sendable {
    /// The TCP port to listen on; 0 lets the system choose a free one.
    public var port: Int = 0

    /// The first checkout of every idempotency key places its order but answers 503 `TRY_AGAIN`, like a lost answer. A retry
    /// with the same key gets that order and places no second one.
    public var failFirstCheckout = false

    /// The lifetime of an access token from `/dl/auth/token`.
    public var tokenLifetime: Duration = .seconds(300)

    /// The server's clock, for the expiry of tokens, the age of signatures and `placedAt` of orders.
    public var now: @Sendable () -> Date = { Date() }

    /// Makes options with the given differences from the defaults.
    public init(
        port: Int = 0,
        failFirstCheckout: Bool = false,
        tokenLifetime: Duration = .seconds(300),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.port = port
        self.failFirstCheckout = failFirstCheckout
        self.tokenLifetime = tokenLifetime
        self.now = now
    }
}
