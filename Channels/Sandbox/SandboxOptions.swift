public import Foundation

/// How a ``SandboxServer`` behaves. The defaults make a server on a free port that never misbehaves.
public struct SandboxOptions: Sendable {
    /// The TCP port to listen on; 0 lets the system choose a free one.
    public var port: Int = 0

    /// Places the order of the first checkout of every idempotency key but answers 503 `TRY_AGAIN`, as a server does whose
    /// answer got lost. A retry with the same key then gets that order and places no second one.
    public var failFirstCheckout = false

    /// How long an access token of `/dl/auth/token` lives.
    public var tokenLifetime: Duration = .seconds(300)

    /// The time the server goes by: expiry of tokens, skew of signed dates, `placedAt` of orders.
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
