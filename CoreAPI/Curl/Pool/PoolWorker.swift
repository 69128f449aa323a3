internal import CCurl
internal import CoreAPICore
internal import CoreAPIHTTP
internal import Synchronization

/// A pool's part on one loop's thread: libcurl's handles, the waiting and running exchanges, and their timeouts.
final class PoolWorker {
    /// A finished exchange whose task was not resumed yet. Its handle is still in the multi handle; `nil` if it never left the
    /// queue. A sound one may serve again.
    private struct Ended {
        enum Message {
            case collected(ExchangeOutcome.End)
            case streamed(CurlBodyStream.End)
        }

        let exchange: Exchange
        let message: Message
        let handle: CurlHandle?
        let isSound: Bool
    }

    private let pool: ConnectionPool
    private let shard: PoolShard
    private let multi: CurlMulti
    @exclusivity(unchecked) private var handles: CurlHandlePool
    /// One per host with pins. Never removed, because connections refer to them.
    @exclusivity(unchecked) private var pinChecks: [String: PinCheck] = [:]
    @exclusivity(unchecked) private var exchanges: [Exchange] = []
    @exclusivity(unchecked) private var ended: [Ended] = []
    /// The earliest time at which an exchange may time out.
    @exclusivity(unchecked) private var nextDeadline = LoopClock.never
    /// When libcurl must be called for all exchanges, because it may hold back a response.
    private var heldResponsesDue = LoopClock.never
    /// Whether a server has closed a connection by TLS; libcurl first hands over what it has read. See
    /// `Workarounds/EndToldOnce.swift`.
    private var hasCutOff = false
    private var now: LoopClock.Nanoseconds = 0
    var isActive = false

    init(of pool: ConnectionPool, _ shard: PoolShard, _ sockets: PollSet) throws(TransportError) {
        self.pool = pool
        self.shard = shard
        let streams = pool.kind.limits.streamsPerConnection
        multi = try CurlMulti(shard.share, streams: streams, sockets: sockets, library: pool.library)
        handles = CurlHandlePool(capacity: min(shard.share.inAll, 64), connections: multi.connections)
    }

    func close() {
        shard.worker = nil
        shard.isClosed = true
        while let exchange = exchanges.last { finish(exchange, .failed(.closed)) }
        resumeEnded()
        releaseEnded()
        handles = CurlHandlePool(capacity: 0, connections: multi.connections)  // Before the multi handle that they were in.
        multi.close()
        pool.shardEnds(shard)
    }

    // MARK: - Messages to the loop

    func submit(_ exchange: Exchange, _ now: LoopClock.Nanoseconds) {
        self.now = now
        guard case .new = exchange.phase, !exchange.isCancelled.load(ordering: .acquiring) else {
            pool.finish(exchange)
            exchange.releaseResources()
            return exchange.resume(.cancelled)
        }
        if exchange.clock.submitted == 0 { exchange.clock.submitted = now }
        do throws(TransportError) {
            guard now < exchange.request.deadline else { throw .timedOut(.total, after: exchange.request.request.timeout.total) }
            let ticket = if let given = exchange.ticket { given } else { try pool.enqueue(exchange) }
            guard !ticket.isStarted || ticket.shard == shard.index else { return pool.move(exchange) }
            (exchange.phase, exchange.index) = (.queued, exchanges.count)
            exchanges.append(exchange)
            nextDeadline = min(nextDeadline, exchange.request.deadline)
            if ticket.isStarted { start(exchange) } else { startReady() }
        } catch {
            pool.reject(exchange, error)
        }
    }

    func cancel(_ exchange: Exchange, _ now: LoopClock.Nanoseconds) {
        self.now = now
        finish(exchange, .cancelled)
    }

    func noteRoom(_ now: LoopClock.Nanoseconds) {
        self.now = now
        pool.noteHomeNotified()
        startReady()
    }

    func resume(_ exchange: Exchange, _ now: LoopClock.Nanoseconds) {
        self.now = now
        if exchange.phase.raw != nil { return move(exchange) }
        guard exchange.phase.isActive, let handle = exchange.handle, exchange.stream?.isHeld == true || exchange.upload.isHeld
        else { return }
        exchange.clock.lastActivity = now
        release(exchange, handle)
        nextDeadline = min(nextDeadline, exchange.due(now))
    }

    private func release(_ exchange: Exchange, _ handle: CurlHandle) {
        exchange.stream?.isHeld = false
        exchange.upload.isHeld = false
        unpause(exchange, handle)
    }

    // MARK: - A turn of the loop

    /// When the loop must serve it next, with or without a socket event.
    func due(_ now: LoopClock.Nanoseconds) -> LoopClock.Nanoseconds {
        ended.isEmpty && multi.connections.pausedForTurn.isEmpty
            ? min(nextDeadline, heldResponsesDue, multi.timerDue(now), multi.idleRoom.due) : now
    }

    /// Whether there is anything to wait for.
    var hasWork: Bool {
        !exchanges.isEmpty || !ended.isEmpty || multi.watched > 0 || multi.timerDue(now) < LoopClock.never
    }

    /// Responses that used up their bytes of the last turn continue.
    func beginTurn(isShared: Bool) {
        multi.connections.isShared = isShared
        for exchange in multi.connections.pausedForTurn.takeAll()
        where exchange.phase.isActive && exchange.stream?.isHeld != true {
            if exchange.phase.raw != nil { move(exchange) } else if let handle = exchange.handle { unpause(exchange, handle) }
        }
    }

    /// Resumes a paused exchange. The piece that libcurl kept may exceed a limit; that ends this exchange only.
    private func unpause(_ exchange: Exchange, _ handle: CurlHandle) {
        let code = multi.resume(handle)
        multi.connections.wakeReaders()
        if code != CURLE_OK { finish(exchange, exchange.end(code, at: now)) }
    }

    /// Calls libcurl for work that is due without a socket event, if there is any.
    func runTimers(_ now: LoopClock.Nanoseconds) -> Bool {
        multi.watchIdleRoom(now)
        guard heldResponsesDue > now else {
            multi.actOnAll()
            return true
        }
        guard multi.timerDue(now) <= now else { return false }
        multi.actOnTimers()
        return true
    }

    func settle(_ now: LoopClock.Nanoseconds) {
        self.now = now
        guard multi.isInTurn else { return }
        multi.connections.wakeReaders()
        do throws(TransportError) {
            try multi.endTurn()
        } catch {
            for exchange in exchanges.filter(\.phase.isActive) { finish(exchange, .failed(error)) }
            // libcurl's reports about them end with their handles.
            resumeEnded()
            return releaseEnded()
        }
        for (exchange, multiplexes) in multi.connections.discovered.takeAll() {
            if let ticket = exchange.ticket { pool.learn(ticket, multiplexes: multiplexes) }
        }
        for exchange in multi.connections.withHead.takeAll() where exchange.phase.isActive {
            if let handle = exchange.handle { exchange.deliverHead(handle.metrics(of: exchange, at: now)) }
            nextDeadline = min(nextDeadline, exchange.bodyEnd.redirectDue)
        }
        let endsCutOff = hasCutOff
        (hasCutOff, multi.connections.hasCloseNotify) = (multi.connections.hasCloseNotify, false)
        while let (exchange, code) = multi.nextDone() {
            if code != CURLE_OK { multi.noteCutOff(exchange) }
            if code == CURLE_OK, exchange.request.connectsOnly { open(exchange) } else { settle(exchange, code) }
        }
        for exchange in multi.readyRaw.takeAll() { move(exchange) }
        settleComplete(multi.monitor?.takeComplete() ?? [])
        settleComplete(multi.connections.takeComplete())
        for exchange in multi.monitor?.givenUp.takeAll() ?? [] where exchange.phase.isActive && exchange.http2.failure != nil {
            closeConnectionAfterUse(of: exchange)
            settle(exchange, CURLE_HTTP2)
        }
        if endsCutOff {
            for exchange in exchanges where multi.noteCutOff(exchange) {
                try? exchange.handle?.forbidReuse()
                settle(exchange, CURLE_HTTP2)
            }
        }
        // Its deadline was computed while there was something to send, and may be far away.
        if multi.connections.hasHeldUpload { nextDeadline = min(nextDeadline, now + UploadBody.resumeInterval) }
        multi.connections.hasHeldUpload = false
        let heldDue = multi.heldResponsesDue(now)
        heldResponsesDue = hasCutOff ? now : heldDue
    }

    /// Resumes the tasks of all exchanges that ended in the turn at once: one thread wake-up for a turn, and not for an exchange,
    /// saves 4 % of processor time for 64 typed calls at a time.
    func resumeEnded() {
        // By index, because copies of all references would cost 500 instructions a request.
        for index in ended.indices {
            switch ended[index].message {
            case .collected(let end): ended[index].exchange.resume(end)
            case .streamed(let end): ended[index].exchange.stream?.close(end)
            }
        }
    }

    /// Takes the handles back while the tasks wake up, and starts others. Must run before libcurl runs again, and before
    /// `curl_multi_info_read` reports an exchange a second time: until then the handles are in the multi handle.
    func releaseEnded() {
        while let last = ended.popLast() {
            guard let handle = last.handle else { continue }
            multi.remove(handle)
            handle.end()
            if last.isSound { handles.put(handle) }
        }
        startReady()
    }

    /// Ends exchanges that have timed out and finds the next deadline. With many exchanges this runs less often: the pause
    /// between runs is 2 µs for each, at least 1 ms and at most 50 ms. So 10,000 deadlines cost at most a fiftieth of the thread.
    ///
    /// - Parameter looked: when libcurl last read the sockets.
    func expire(_ looked: LoopClock.Nanoseconds) {
        guard looked >= nextDeadline else { return }
        var earliest = LoopClock.never
        var index = exchanges.count - 1
        while index >= 0 {
            let exchange = exchanges[index]
            if looked >= exchange.bodyEnd.redirectDue {
                // As for a streamed body (`RawResponse.discardBody`), the rest is not waited for.
                exchange.bodyEnd.isDecided = true
                settle(exchange, CURLE_OK)
            } else if let error = exchange.expired(looked) {
                exchange.failure = error
                finish(exchange, .failed(error))
            } else {
                // Only so that libcurl looks at the response: neither side has moved.
                if let handle = exchange.handle, exchange.stream?.isHeld != true, exchange.upload.mustResume(handle.library) {
                    release(exchange, handle)
                }
                earliest = min(earliest, exchange.due(looked))
            }
            index -= 1
        }
        let pause = min(50_000_000, max(1_000_000, Int64(exchanges.count) * 2_000))
        nextDeadline = max(earliest, looked + pause)
    }

    // MARK: - An exchange's life

    private func startReady() {
        guard shard.index == 0 else { return }
        while let exchange = pool.next() {
            guard !exchange.isTooLate(now) else {
                // Its timeout ends it; an exchange with enough time starts instead.
                pool.finish(exchange)
                continue
            }
            guard exchange.ticket?.shard == 0 else {
                drop(exchange)
                exchange.phase = .new
                pool.move(exchange)
                continue
            }
            start(exchange)
        }
    }

    private func start(_ exchange: Exchange) {
        exchange.phase = .active
        exchange.clock.activated = now
        exchange.clock.lastActivity = now
        if exchange.request.url.scheme == .https { exchange.route.pinCheck = pinCheck(for: exchange.request) }
        launch(exchange)
    }

    private func pinCheck(for request: PreparedRequest) -> PinCheck? {
        if let known = pinChecks[request.url.host] { return known }
        let check = PinCheck(host: request.url.host, trust: request.trust)
        pinChecks[request.url.host] = check
        return check
    }

    private func restart(_ exchange: Exchange) {
        if let handle = exchange.handle {
            multi.remove(handle)
            handle.end()
            exchange.handle = nil
        }
        exchange.sendings.restart()
        launch(exchange)
    }

    private func launch(_ exchange: Exchange) {
        do throws(TransportError) {
            let form = CurlHandle.Form(exchange.request)
            guard let handle = handles.take(form) else { throw .other(code: 27, message: "out of memory for another exchange") }
            exchange.clock.launchTurn = multi.connections.turn
            try handle.setOptions(for: exchange, as: form, inFlight: pool.active.load(ordering: .relaxed))
            try multi.add(handle)
            nextDeadline = min(nextDeadline, exchange.due(now))
        } catch {
            finish(exchange, .failed(error))
        }
    }

    private func settle(_ exchange: Exchange, _ code: CURLcode) {
        // libcurl reports an exchange that failed inside `curl_easy_pause`, and was finished there, once more.
        guard exchange.phase.isActive else { return }
        if exchange.mustRestart { restart(exchange) } else { finish(exchange, exchange.end(code, at: now)) }
    }

    private func settleComplete(_ exchanges: [Exchange]) {
        for exchange in exchanges where exchange.phase.isActive {
            exchange.bodyEnd.isDecided = true
            settle(exchange, CURLE_OK)
        }
    }

    private func open(_ exchange: Exchange) {
        guard exchange.phase.isActive, let handle = exchange.handle else { return }
        guard let connection = RawSocket(of: exchange, handle) else {
            return finish(exchange, .failed(.other(code: 0, message: "libcurl names no socket of the connection")))
        }
        multi.keep(connection, of: exchange)
        exchange.deliver(connection, handle.metrics(of: exchange, at: now))
        move(exchange)
    }

    private func move(_ exchange: Exchange) {
        guard exchange.phase.isActive, let connection = exchange.phase.raw else { return }
        switch multi.move(connection) {
        case .waits(_, let hasMore): if hasMore { multi.connections.pausedForTurn.append(exchange) }
        case .ended:
            let isAnnounced = exchange.route.tls?.hasCloseNotify
            exchange.stream?.finish(.init(end: .complete, isEndAnnounced: isAnnounced, trailers: [], total: nil))
            move(exchange)
        case .broke(let reason): finish(exchange, .failed(.connectionLost(reason: reason, mayHaveBeenProcessed: false)))
        }
    }

    private func finish(_ exchange: Exchange, _ end: ExchangeOutcome.End) {
        if let connection = exchange.phase.raw {
            connection.sendRest()
            multi.forget(connection)
        }
        let handle = exchange.handle
        let metrics = handle?.metrics(of: exchange, at: now)
        var isEndAnnounced = exchange.route.tls?.hasCloseNotify
        if let handle, metrics?.httpVersion == "HTTP/2" { isEndAnnounced = multi.monitor?.hasEnded(handle) }
        if handle != nil, exchange.failure != nil { closeConnectionAfterUse(of: exchange) }
        let isDelivered = exchange.phase.isDelivered
        let end = isDelivered ? end : exchange.fillOutcome(end, metrics, isEndAnnounced: isEndAnnounced)
        let message: Ended.Message =
            isDelivered
            ? .streamed(
                .init(end: end, isEndAnnounced: isEndAnnounced, trailers: handle?.head.trailers ?? [], total: metrics?.total))
            : .collected(end)
        var isSound = false
        if case .complete = end {
            isSound = exchange.hasHead && !exchange.bodyEnd.isDecided && exchange.sendings.allowReuse
        }
        pool.finish(exchange)
        drop(exchange)
        exchange.releaseResources()
        ended.append(Ended(exchange: exchange, message: message, handle: handle, isSound: isSound))
    }

    /// Closes the connection of an exchange that a timeout or a limit stopped. Its bytes may keep arriving, and libcurl would
    /// read them forever under the next request; a silent peer stays silent. Other streams keep their connection until they are
    /// done. If they have received nothing either, no new stream joins them.
    private func closeConnectionAfterUse(of exchange: Exchange) {
        try? exchange.handle?.forbidReuse()
        // Without HTTP/2 there is no other stream. And if thousands stop at once, one check is enough.
        guard let connection = exchange.route.connection, exchange.ticket?.multiplexes != false, !connection.isDecided else {
            return
        }
        let others = exchanges.filter { $0 !== exchange && $0.route.connection === connection }
        guard !others.contains(where: { $0.clock.lastActivity > exchange.clock.lastActivity }) else { return connection.keep() }
        guard connection.markForClose() else { return }
        // The last of them closes it.
        for other in others { try? other.handle?.forbidReuse() }
    }

    private func drop(_ exchange: Exchange) {
        guard let last = exchanges.popLast(), last !== exchange else { return }
        last.index = exchange.index
        exchanges[exchange.index] = last
    }
}
