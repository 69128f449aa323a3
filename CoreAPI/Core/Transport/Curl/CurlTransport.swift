internal import Foundation
internal import Synchronization

/// Sends requests over HTTP/1.1 and HTTP/2 with the system's libcurl.
///
/// One transport owns one thread, its connections and its queue; a channel has one of its own, so that channels cannot starve each
/// other. It follows redirects itself, decodes compressed bodies, and never sends a request twice that may not be sent twice. It keeps
/// no credentials and no cache, and cookies in the jar of a channel that has one only (``Channel/cookies``).
///
/// An answer that a server sends over HTTP/1.1 before it was asked is noticed, and its connection closed, when it is there before the next
/// request leaves. One that comes later cannot be told from that request's own (RFC 9112 §9.3): a server can always lie to its clients.
///
/// ```swift
/// let transport = CurlTransport()
/// let response = await transport.send(request)
/// await transport.close()
/// ```
///
/// A transport that is let go of without ``close()`` ends its thread and connections by itself, a little later. The process may exit
/// before.
/// Every trust (``ServerTrustManager``) has connections of its own: what was made under one set of authorities, pins and keys never serves
/// another. When a channel's trust is replaced, the connections of the old one are closed as soon as nobody uses them.
public final class CurlTransport: Transport {
    private let limits: Limits
    private let pools = Mutex(Pools())

    private struct Pools {
        var all: [TrustPool] = []
        /// Which one a channel uses, by its name.
        var current: [String: TrustPool] = [:]
        /// Whose request came last: most come from the same channel, whose trust need not be compared again.
        var recent: (channel: Int, pool: TrustPool)?
        var isClosed = false

        /// Takes out what no channel uses any more and no request is on its way through.
        mutating func removeRetired() -> [TrustPool] {
            let retired = all.filter { pool in pool.users == 0 && !current.values.contains { $0 === pool } }
            if !retired.isEmpty { all.removeAll { pool in retired.contains { $0 === pool } } }
            return retired
        }
    }

    /// Starts nothing yet; the thread begins with the first request.
    ///
    /// - Parameter limits: bounds of connections and queue, for each trust. The bounds of a response are those of the request's own
    ///   channel.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    deinit {
        for pool in pools.withLock({ $0.all }) { pool.loop.abandon() }
    }

    public func send(_ attempt: Attempt) async -> Reply {
        let exchange = CurlExchange(attempt: attempt)
        switch begin(exchange) {
        case .failure(let error): return attempt.failed(error)
        case .success(let (pool, transfer)):
            await pool.loop.perform(transfer)
            return end(exchange, transfer, pool)
        }
    }

    public func isolatedCopy() -> any Transport { CurlTransport(limits: limits) }

    public func close() async {
        let all = pools.withLock { pools in
            pools.isClosed = true
            return pools.all
        }
        for pool in all { await pool.loop.close() }
    }

    // Not inlined, these two: `send` would keep their temporaries for as long as the request is in flight.

    @inline(never)
    private func begin(_ exchange: CurlExchange) -> Result<(TrustPool, CurlTransfer), APIClientError> {
        let attempt = exchange.attempt
        guard let (pool, isNew) = take(for: attempt.call.prepared) else {
            return .failure(.transport(.closed, ErrorContext(attempt.request)))
        }
        if isNew { for warning in attempt.call.channel.warnings { attempt.warn(warning) } }
        let prepared = exchange.prepare()
        if case .failure = prepared { giveBack(pool) }
        return prepared.map { (pool, $0) }
    }

    @inline(never)
    private func end(_ exchange: CurlExchange, _ transfer: CurlTransfer, _ pool: TrustPool) -> Reply {
        defer { giveBack(pool) }
        return exchange.read(transfer)
    }

    /// The connections of a channel's trust, and whether nobody used them before.
    private func take(for shared: PreparedChannel) -> (TrustPool, isNew: Bool)? {
        let mode = shared.channel.environment.serverTrustManager.pins.currentMode
        let (found, retired) = pools.withLock { pools -> ((TrustPool, Bool)?, [TrustPool]) in
            guard !pools.isClosed else { return (nil, []) }
            if let (recent, pool) = pools.recent, recent == shared.number, pool.pinMode == mode {
                pool.users += 1
                return ((pool, false), [])
            }
            let trust = shared.channel.environment.serverTrustManager
            let refused = shared.channel.limits.refusedAddresses
            let name = shared.channel.name
            defer { pools.recent = pools.current[name].map { (shared.number, $0) } }
            if let pool = pools.current[name], pool.trust == trust, pool.refused == refused, pool.pinMode == mode {
                pool.users += 1
                return ((pool, false), [])
            }
            let known = pools.all.first { $0.trust == trust && $0.refused == refused && $0.pinMode == mode }
            let pool =
                known
                ?? TrustPool(
                    trust: trust, refused: refused, pinMode: mode, loop: CurlLoop(limits: limits))
            if known == nil { pools.all.append(pool) }
            pools.current[name] = pool
            pool.users += 1
            return ((pool, known == nil), pools.removeRetired())
        }
        for pool in retired { pool.loop.abandon() }
        return found
    }

    private func giveBack(_ pool: TrustPool) {
        let retired = pools.withLock { pools in
            pool.users -= 1
            // One that is in use by a channel, as almost always, is not looked for.
            return pool.users == 0 && pools.all.count > 1 ? pools.removeRetired() : []
        }
        for pool in retired { pool.loop.abandon() }
    }

    private var loops: [CurlLoop] { pools.withLock { $0.all.map(\.loop) } }

    /// How many trusts have connections.
    package var trusts: Int { loops.count }
    /// Transfers that libcurl works on.
    package var activeTransfers: Int { loops.reduce(0) { $0 + $1.active.load(ordering: .acquiring) } }
    /// Transfers that wait for a place.
    package var queuedTransfers: Int { loops.reduce(0) { $0 + $1.queued.load(ordering: .acquiring) } }
    /// Whether a thread lives.
    package var isRunning: Bool { loops.contains { $0.isRunning } }
}

/// The connections of one trust.
///
/// `@unchecked`: what changes is touched under the transport's lock.
private final class TrustPool: @unchecked Sendable {
    let trust: ServerTrustManager
    /// A connection to a peer that one channel allows must not serve another that refuses it.
    let refused: AddressClass
    /// A connection that was only reported must not serve after the set began to block.
    let pinMode: PinSet.Mode
    let loop: CurlLoop
    /// Requests on their way.
    var users = 0

    init(trust: ServerTrustManager, refused: AddressClass, pinMode: PinSet.Mode, loop: CurlLoop) {
        self.trust = trust
        self.refused = refused
        self.pinMode = pinMode
        self.loop = loop
    }
}
