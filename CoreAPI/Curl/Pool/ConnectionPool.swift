internal import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPITrust
internal import Synchronization

/// Those of ``Limits`` for a pool's connections and queue.
struct ConnectionLimits: Sendable, Hashable {
    let connections: Int
    let connectionsPerHost: Int
    let streamsPerConnection: Int
    let queuedRequests: Int

    init(_ limits: Limits) {
        connections = limits.connections
        connectionsPerHost = limits.connectionsPerHost
        streamsPerConnection = limits.streamsPerConnection
        queuedRequests = limits.queuedRequests
    }
}

/// What the connections of a pool have in common: one made under another trust, say, never serves its requests.
struct PoolKind: Equatable, Sendable {
    let trust: ServerTrustManager
    /// A connection to a peer that one channel allows must not serve a channel that rejects it.
    let rejected: Limits.AddressClass
    /// A connection whose mismatch was only reported must not serve after the pin set began to block.
    let pinMode: PinSet.Mode
    /// Whether it serves streamed bodies; see `Workarounds/BusyConnectionShared.swift`.
    let streamsBodies: Bool
    let limits: ConnectionLimits
}

/// The host whose connections are counted together.
struct HostKey: Hashable, Sendable {
    let scheme: HTTPURL.Scheme
    let host: String
    let port: UInt16

    init(_ url: HTTPURL) {
        scheme = url.scheme
        host = url.host
        port = url.effectivePort
    }
}

/// The connections of one trust, their limits and their queue. Several loops of a group serve it, each with a shard.
///
/// The queue is under a lock, so the limits apply to all shards together. A request that may start goes to its shard's loop at
/// once; one that must wait is kept by the loop of the first shard, the pool's home.
final class ConnectionPool: Sendable {
    typealias Queue = HostQueue<HostKey, Exchange>

    private struct State {
        let queue: Queue
        var isClosed = false
        /// Shards whose loops have work of this pool, and have not ended it.
        var open: Set<Int> = []
        /// Whether the home's loop was notified that an exchange may start.
        var isHomeNotified = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    let kind: PoolKind
    let library: CurlLibrary
    /// The first is the home.
    private let shards: [PoolShard]
    private let state: Mutex<State>
    /// Requests in progress, under the lock of the transport.
    let users = Atomic(0)
    /// Exchanges that libcurl works on, and those that wait. Updated before a task is resumed, so the task of the last exchange
    /// reads 0.
    let active = Atomic(0)
    let queued = Atomic(0)

    init(_ kind: PoolKind, loops: LoopGroup, library: CurlLibrary) {
        self.kind = kind
        self.library = library
        let limits = kind.limits
        let bounds = ConnectionShare(inAll: max(1, limits.connections), perHost: max(1, limits.connectionsPerHost))
        let loops = loops.loopsForNewPool().prefix(min(bounds.inAll, bounds.perHost))
        shards = loops.enumerated().map { index, loop in
            PoolShard(index, share: bounds.part(index, of: loops.count), loop: loop)
        }
        state = Mutex(
            State(
                queue: HostQueue(
                    connections: limits.connections, connectionsPerHost: limits.connectionsPerHost,
                    streamsPerConnection: limits.streamsPerConnection, capacity: limits.queuedRequests, shards: loops.count)))
    }

    /// Whether a loop holds an exchange or a connection of the pool.
    var isRunning: Bool { state.withLock { !$0.open.isEmpty } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    // MARK: - From any thread

    /// Hands an exchange over and waits until its outcome is set. Cancelling the task cancels the exchange.
    func perform(_ exchange: Exchange) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                exchange.continuation = continuation
                submit(exchange)
            }
        } onCancel: {
            cancel(exchange)
        }
        _ = exchange.isOver.load(ordering: .acquiring)
    }

    /// Ends all waiting and running exchanges with ``TransportError/closed``, and waits until no connection is left.
    func close() async { await withCheckedContinuation { close($0) } }
    /// As ``close()``, for an owner that is released and cannot wait.
    func abandon() { close(nil) }

    private func close(_ closer: CheckedContinuation<Void, Never>?) {
        let (open, isNew) = state.withLock { state in
            defer { state.isClosed = true }
            if let closer, !state.open.isEmpty { state.closers.append(closer) }
            return (state.open, !state.isClosed)
        }
        if open.isEmpty { closer?.resume() }
        for shard in shards where isNew && open.contains(shard.index) {
            // A loop without a thread holds nothing of any pool.
            if !shard.loop.postIfRunning(.close(shard, self)) { shardEnds(shard) }
        }
    }

    private func submit(_ exchange: Exchange) {
        let key = HostKey(exchange.request.url)
        let (shard, end) = state.withLock { state -> (PoolShard?, ExchangeOutcome.End) in
            guard !state.isClosed else { return (nil, .failed(.closed)) }
            guard !exchange.isCancelled.load(ordering: .acquiring) else { return (nil, .cancelled) }
            exchange.ticket = state.queue.start(for: key, multiplexes: multiplexes(exchange))
            count(state.queue)
            let shard = shards[exchange.ticket?.shard ?? 0]
            exchange.shard = shard
            state.open.insert(shard.index)
            return (shard, .complete)
        }
        guard let shard else { return exchange.resume(end) }
        if let rejection = shard.loop.post(.submit(exchange, self)) { reject(exchange, rejection) }
    }

    /// May be called before the exchange itself arrives.
    private func cancel(_ exchange: Exchange) {
        let shard = state.withLock { _ in
            exchange.isCancelled.store(true, ordering: .releasing)
            return exchange.shard
        }
        shard?.loop.postIfRunning(.cancel(exchange))
    }

    /// Whether the host multiplexes, as far as known before its first response. The kit does not speak HTTP/2 in clear text.
    private func multiplexes(_ exchange: Exchange) -> Bool? {
        exchange.request.url.scheme == .https && library.can(.http2) && !exchange.request.streamsBody ? nil : false
    }

    private func count(_ queue: Queue) {
        active.store(queue.active, ordering: .releasing)
        queued.store(queue.waiting, ordering: .releasing)
    }

    // MARK: - From a loop's thread

    func reject(_ exchange: Exchange, _ error: TransportError) {
        finish(exchange)
        exchange.releaseResources()
        exchange.resume(.failed(error))
    }

    /// Queues an exchange that could not start when it was submitted. By now it may.
    func enqueue(_ exchange: Exchange) throws(TransportError) -> Queue.Ticket {
        let (key, multiplexes) = (HostKey(exchange.request.url), multiplexes(exchange))
        let ticket = state.withLock { state in
            defer { count(state.queue) }
            return state.queue.start(for: key, multiplexes: multiplexes)
                ?? state.queue.enqueue(exchange, for: key, multiplexes: multiplexes)
        }
        guard let ticket else { throw .queueFull(limit: max(0, kind.limits.queuedRequests)) }
        exchange.ticket = ticket
        return ticket
    }

    /// The home's loop has received the message that another shard finished an exchange.
    func noteHomeNotified() { state.withLock { $0.isHomeNotified = false } }

    /// The next exchange that may start. Its ticket names the shard.
    func next() -> Exchange? {
        guard queued.load(ordering: .relaxed) > 0 else { return nil }
        return state.withLock { state -> Exchange? in
            guard let (exchange, ticket) = state.queue.next() else { return nil }
            exchange.ticket = ticket
            count(state.queue)
            return exchange
        }
    }

    /// Takes an exchange out of the queue's counts, whether it ran or waited.
    func finish(_ exchange: Exchange) {
        guard let ticket = exchange.ticket else { return }
        exchange.ticket = nil
        let notifiesHome = state.withLock { state in
            if ticket.isStarted { state.queue.finish(ticket) } else { state.queue.remove(ticket) }
            count(state.queue)
            guard ticket.shard != 0, state.queue.waiting > 0, !state.isHomeNotified else { return false }
            state.isHomeNotified = true
            return true
        }
        if notifiesHome { notifyHome() }
    }

    func learn(_ ticket: Queue.Ticket, multiplexes: Bool) {
        let notifiesHome = state.withLock { state in
            state.queue.learn(ticket, multiplexes: multiplexes)
            return ticket.shard != 0 && state.queue.waiting > 0
        }
        if notifiesHome { notifyHome() }
    }

    private func notifyHome() { shards[0].loop.postIfRunning(.startReady(shards[0])) }

    func move(_ exchange: Exchange) {
        let shard = shards[exchange.ticket?.shard ?? 0]
        let isOpen = state.withLock { state in
            exchange.shard = shard
            guard !state.isClosed else { return false }
            state.open.insert(shard.index)
            return true
        }
        if let rejection = isOpen ? shard.loop.post(.submit(exchange, self)) : .closed { reject(exchange, rejection) }
    }

    /// A loop holds nothing of the pool any more.
    func shardEnds(_ shard: PoolShard) {
        let closers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.open.remove(shard.index)
            guard state.open.isEmpty else { return [] }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }
}

/// One loop's part of a pool.
///
/// `@unchecked`: its variables are touched on the loop's thread only.
final class PoolShard: @unchecked Sendable {
    let index: Int
    let share: ConnectionShare
    let loop: Loop
    /// Lives from the first exchange to the pool's end.
    var worker: PoolWorker?
    var isClosed = false

    init(_ index: Int, share: ConnectionShare, loop: Loop) {
        self.index = index
        self.share = share
        self.loop = loop
    }
}
