public import CoreAPICore
internal import CoreAPILock
internal import Foundation
internal import Synchronization

/// Sends requests over HTTP/1.1 and HTTP/2 with the system's libcurl.
///
/// One transport owns its connections, their limits and its queue; a channel has one of its own. The threads belong to a
/// ``LoopGroup``, which serves the channels in turn, so that no channel starves another. It follows redirects itself, decodes
/// compressed bodies, and never sends a request twice that may not be sent twice. It keeps no credentials and no cache, and
/// cookies in the jar of a channel that has one only (``Channel/cookies``).
///
/// An answer that a server sends over HTTP/1.1 before it was asked is noticed, and its connection closed, when it is there before
/// the next request leaves. One that comes later cannot be told from that request's own (RFC 9112 §9.3): a server can always lie
/// to its clients.
///
/// ```swift
/// let transport = CurlTransport()
/// let response = await transport.send(request)
/// await transport.close()
/// ```
///
/// A transport that is let go of without ``close()`` closes its connections by itself, a little later. The process may exit
/// before.
///
/// Every trust (``ServerTrustManager``) has connections of its own: what was made under one set of authorities, pins and keys
/// never serves another. So has every set of limits on connections (``Limits``). When a channel's trust or its limits are
/// replaced, the transport closes the old connections as soon as no request uses them.
public final class CurlTransport: Transport {
    /// `nil` for those of each channel.
    private let limits: Limits?
    private let loops: LoopGroup
    private let library: CurlLibrary
    private let pools = Mutex(Pools())

    private struct Pools {
        var all: [ConnectionPool] = []
        /// Which one a channel uses, by its name.
        var current: [String: ConnectionPool] = [:]
        /// Whose request came last: most come from the same channel, whose trust need not be compared again.
        var recent: (channel: Int, pool: ConnectionPool)?
        var isClosed = false

        /// Takes out what no channel uses any more and no request is on its way through.
        mutating func removeRetired() -> [ConnectionPool] {
            let retired = all.filter { pool in
                pool.users.load(ordering: .relaxed) == 0 && !current.values.contains { $0 === pool }
            }
            if !retired.isEmpty { all.removeAll { pool in retired.contains { $0 === pool } } }
            return retired
        }
    }

    /// Starts nothing yet.
    ///
    /// - Parameters:
    ///   - limits: bounds of connections and queue, for each trust; `nil`, the default, for those of the channel that sends. The
    ///     bounds of a response are always those of the request's own channel.
    ///   - loops: the threads that serve it.
    public init(limits: Limits? = nil, loops: LoopGroup = .shared) {
        self.limits = limits
        self.loops = loops
        library = .linked
    }

    /// - Parameter library: what the linked libcurl is taken for.
    package init(limits: Limits? = nil, loops: LoopGroup = .shared, library: CurlLibrary) {
        self.limits = limits
        self.loops = loops
        self.library = library
    }

    deinit {
        for pool in pools.withLock({ $0.all }) { pool.abandon() }
    }

    public func send(_ attempt: Attempt) async -> Reply {
        let exchange = CurlExchange(attempt: attempt, library: library)
        switch begin(exchange) {
        case .failure(let error): return attempt.failed(error)
        case .success(let (pool, transfer)):
            await pool.perform(transfer)
            return end(exchange, transfer, pool)
        }
    }

    public func isolatedCopy() -> any Transport { CurlTransport(limits: limits, loops: loops, library: library) }

    public func close() async {
        let all = pools.withLock { pools in
            pools.isClosed = true
            return pools.all
        }
        for pool in all { await pool.close() }
    }

    // Not inlined, these two: `send` would keep their temporaries for as long as the request is in flight.

    @inline(never)
    private func begin(_ exchange: CurlExchange) -> Result<(ConnectionPool, CurlTransfer), APIClientError> {
        let attempt = exchange.attempt
        guard let (pool, isNew) = take(for: attempt.call.prepared, streams: library.keepsApart(attempt)) else {
            return .failure(.transport(.closed, ErrorContext(attempt.request)))
        }
        if isNew { for warning in attempt.call.channel.warnings { attempt.warn(warning) } }
        let prepared = exchange.prepare()
        if case .failure = prepared { giveBack(pool) }
        return prepared.map { (pool, $0) }
    }

    @inline(never)
    private func end(_ exchange: CurlExchange, _ transfer: CurlTransfer, _ pool: ConnectionPool) -> Reply {
        exchange.read(transfer) { self.giveBack(pool) }
    }

    /// The connections of a channel's trust and limits, and whether they were not used before.
    private func take(for shared: PreparedChannel, streams: Bool) -> (ConnectionPool, isNew: Bool)? {
        let mode = shared.channel.environment.serverTrustManager.pins.currentMode
        let (found, retired) = pools.withLock { pools -> ((ConnectionPool, Bool)?, [ConnectionPool]) in
            guard !pools.isClosed else { return (nil, []) }
            if let (recent, pool) = pools.recent, recent == shared.number, pool.pinMode == mode, pool.streams == streams {
                pool.users.add(1, ordering: .relaxed)
                return ((pool, false), [])
            }
            let trust = shared.channel.environment.serverTrustManager
            let refused = shared.channel.limits.refusedAddresses
            let limits = ConnectionLimits(limits ?? shared.channel.limits)
            let name = streams ? shared.channel.name + "\u{0}streams" : shared.channel.name
            defer { pools.recent = pools.current[name].map { (shared.number, $0) } }
            let serves = { (pool: ConnectionPool) in
                pool.trust == trust && pool.refused == refused && pool.pinMode == mode && pool.limits == limits
                    && pool.streams == streams
            }
            if let pool = pools.current[name], serves(pool) {
                pool.users.add(1, ordering: .relaxed)
                return ((pool, false), [])
            }
            let known = pools.all.first(where: serves)
            let pool =
                known
                ?? ConnectionPool(
                    trust: trust, refused: refused, pinMode: mode, streams: streams, limits: limits, loops: loops,
                    library: library)
            if known == nil { pools.all.append(pool) }
            pools.current[name] = pool
            pool.users.add(1, ordering: .relaxed)
            return ((pool, known == nil), pools.removeRetired())
        }
        for pool in retired { pool.abandon() }
        return found
    }

    private func giveBack(_ pool: ConnectionPool) {
        let retired = pools.withLock { pools in
            let users = pool.users.subtract(1, ordering: .relaxed).newValue
            // One that is in use by a channel, as almost always, is not looked for.
            return users == 0 && pools.all.count > 1 ? pools.removeRetired() : []
        }
        for pool in retired { pool.abandon() }
    }

    private var allPools: [ConnectionPool] { pools.withLock { $0.all } }

    /// How many sets of connections there are: one for each trust, and for each of its limits.
    package var trusts: Int { allPools.count }
    /// Transfers that libcurl works on.
    package var activeTransfers: Int { allPools.reduce(0) { $0 + $1.active.load(ordering: .acquiring) } }
    /// Transfers that wait until they may start.
    package var queuedTransfers: Int { allPools.reduce(0) { $0 + $1.queued.load(ordering: .acquiring) } }
    /// Whether a thread has something of the transport's: a transfer, a connection.
    package var isRunning: Bool { allPools.contains { $0.isRunning } }
}
