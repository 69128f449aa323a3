internal import CCurl
internal import CoreAPICore
internal import Synchronization

/// A pool's part on one loop's thread: libcurl's handles, the waiting and running transfers, and their timeouts. On that thread
/// only.
final class PoolWorker {
    private let pool: ConnectionPool
    private let shard: PoolShard
    private let multi: CurlMulti
    @exclusivity(unchecked) private var handles: CurlHandlePool
    /// One per host with pins. Never removed, because connections refer to them.
    private var pinChecks: [String: PinCheck] = [:]
    /// All waiting and running transfers.
    @exclusivity(unchecked) private var transfers: [CurlTransfer] = []
    @exclusivity(unchecked) private var ended = EndedTransfers()
    /// The earliest time at which a transfer may time out.
    private var nextDeadline = LoopClock.never
    /// When libcurl must be called for all transfers, because it may hold back an answer.
    private var heldAnswersDue = LoopClock.never
    /// Whether a server has closed a connection by TLS; libcurl first hands over what it has read before. See
    /// ``CurlDefect/endToldOnce``.
    private var hasCutOff = false
    private var now: LoopClock.Nanoseconds = 0
    /// Whether the loop serves it in its turns.
    var isAttended = false

    /// - Throws: ``TransportError`` if libcurl cannot be set up.
    init(of pool: ConnectionPool, _ shard: PoolShard, _ sockets: PollSet) throws(TransportError) {
        self.pool = pool
        self.shard = shard
        multi = try CurlMulti(
            shard.share, streams: pool.limits.streamsPerConnection, sockets: sockets, library: pool.library)
        handles = CurlHandlePool(capacity: min(shard.share.inAll, 64), connections: multi.connections)
    }

    /// Ends all remaining transfers with ``TransportError/closed``, and closes the connections.
    func close() {
        shard.worker = nil
        shard.isClosed = true
        while let transfer = transfers.last { finish(transfer, .failed(.closed)) }
        resumeEnded()
        releaseEnded()
        handles = CurlHandlePool(capacity: 0, connections: multi.connections)  // Before the multi handle that they were in.
        multi.close()
        pool.shardEnds(shard)
    }

    // MARK: - Messages to the loop

    /// Starts a transfer that may start at once, or queues it.
    func submit(_ transfer: CurlTransfer, _ now: LoopClock.Nanoseconds) {
        self.now = now
        guard case .new = transfer.phase, !transfer.isCancelled.load(ordering: .acquiring) else {
            pool.finish(transfer)
            transfer.releaseResources()
            return transfer.resume(.cancelled)
        }
        if transfer.clock.submitted == 0 { transfer.clock.submitted = now }
        do throws(TransportError) {
            guard now < transfer.request.deadline else { throw .timedOut(.total, after: transfer.request.request.timeout.total) }
            let ticket: HostQueue<HostKey, CurlTransfer>.Ticket =
                if let given = transfer.ticket { given } else { try pool.enqueue(transfer) }
            guard !ticket.isStarted || ticket.shard == shard.index else { return pool.move(transfer) }
            (transfer.phase, transfer.index) = (.queued, transfers.count)
            transfers.append(transfer)
            nextDeadline = min(nextDeadline, transfer.request.deadline)
            if ticket.isStarted { start(transfer) } else { startReady() }
        } catch {
            pool.reject(transfer, error)
        }
    }

    func cancel(_ transfer: CurlTransfer, _ now: LoopClock.Nanoseconds) {
        self.now = now
        finish(transfer, .cancelled)
    }

    /// Another shard has finished a transfer, so a waiting one may start.
    func noteRoom(_ now: LoopClock.Nanoseconds) {
        self.now = now
        pool.noteHomeNotified()
        startReady()
    }

    /// The task has taken the waiting bytes, or has more to send.
    func resume(_ transfer: CurlTransfer, _ now: LoopClock.Nanoseconds) {
        self.now = now
        if transfer.phase.raw != nil { return move(transfer) }
        guard transfer.phase.isActive, let handle = transfer.handle, transfer.stream?.isHeld == true || transfer.upload.isHeld
        else { return }
        transfer.clock.lastActivity = now
        release(transfer, handle)
        nextDeadline = min(nextDeadline, transfer.due(now))
    }

    private func release(_ transfer: CurlTransfer, _ handle: CurlHandle) {
        transfer.stream?.isHeld = false
        transfer.upload.isHeld = false
        unpause(transfer, handle)
    }

    // MARK: - A turn of the loop

    /// When the loop must serve it next, with or without a socket event.
    func due(_ now: LoopClock.Nanoseconds) -> LoopClock.Nanoseconds {
        ended.isEmpty && !multi.connections.hasPausedForTurn
            ? min(nextDeadline, heldAnswersDue, multi.timerDue(now), multi.idleRoom.due) : now
    }

    /// Whether there is anything to wait for.
    var needsAttention: Bool {
        !transfers.isEmpty || !ended.isEmpty || multi.watched > 0 || multi.timerDue(now) < LoopClock.never
    }

    /// Begins a turn: answers that used up their bytes of the last turn continue.
    ///
    /// - Parameter isShared: whether the turn serves other pools, too.
    func beginTurn(isShared: Bool) {
        multi.connections.isShared = isShared
        for transfer in multi.connections.takePausedForTurn() where transfer.phase.isActive && transfer.stream?.isHeld != true {
            if transfer.phase.raw != nil { move(transfer) } else if let handle = transfer.handle { unpause(transfer, handle) }
        }
    }

    /// Resumes a paused transfer. The piece that libcurl kept may exceed a limit; that ends this transfer only.
    private func unpause(_ transfer: CurlTransfer, _ handle: CurlHandle) {
        let code = multi.resume(handle)
        multi.connections.wakeReaders()
        if code != CURLE_OK { finish(transfer, transfer.end(code, at: now)) }
    }

    /// Calls libcurl for work that is due without a socket event.
    ///
    /// - Returns: whether it was called.
    func runTimers(_ now: LoopClock.Nanoseconds) -> Bool {
        multi.watchIdleRoom(now)
        guard heldAnswersDue > now else {
            multi.actOnAll()
            return true
        }
        guard multi.timerDue(now) <= now else { return false }
        multi.actOnTimers()
        return true
    }

    /// Handles the finished transfers, if libcurl was called in this turn.
    func settle(_ now: LoopClock.Nanoseconds) {
        self.now = now
        guard multi.isInTurn else { return }
        multi.connections.wakeReaders()
        do throws(TransportError) {
            try multi.endTurn()
        } catch {
            for transfer in transfers.filter(\.phase.isActive) { finish(transfer, .failed(error)) }
            // libcurl's reports about them end with their handles.
            resumeEnded()
            return releaseEnded()
        }
        for (transfer, multiplexes) in multi.connections.takeDiscovered() {
            if let ticket = transfer.ticket { pool.learn(ticket, multiplexes: multiplexes) }
        }
        for transfer in multi.connections.takeWithHead() where transfer.phase.isActive {
            if let handle = transfer.handle { transfer.deliverHead(handle.metrics(of: transfer, at: now)) }
            nextDeadline = min(nextDeadline, transfer.bodyEnd.redirectDue)
        }
        let endsCutOff = hasCutOff
        hasCutOff = multi.connections.takeCloseNotify()
        while let (transfer, code) = multi.nextDone() {
            if code != CURLE_OK { multi.noteCutOff(transfer) }
            if code == CURLE_OK, transfer.request.connectsOnly { open(transfer) } else { settle(transfer, code) }
        }
        for transfer in multi.takeReadyRaw() { move(transfer) }
        for transfer in multi.takeComplete() + multi.connections.takeComplete() where transfer.phase.isActive {
            transfer.bodyEnd.isDecided = true
            settle(transfer, CURLE_OK)
        }
        for transfer in multi.takeGivenUp() where transfer.phase.isActive && transfer.http2.failure != nil {
            closeConnectionAfterUse(of: transfer)
            settle(transfer, CURLE_HTTP2)
        }
        if endsCutOff {
            for transfer in transfers where multi.noteCutOff(transfer) {
                try? transfer.handle?.forbidReuse()
                settle(transfer, CURLE_HTTP2)
            }
        }
        // Its deadline was computed while there was something to send, and may be far away.
        if multi.connections.takeHeldUpload() { nextDeadline = min(nextDeadline, now + UploadBody.resumeInterval) }
        let heldDue = multi.heldAnswersDue(now)
        heldAnswersDue = hasCutOff ? now : heldDue
    }

    /// Resumes the tasks of finished transfers.
    func resumeEnded() { ended.resume() }

    /// Takes their handles back, and starts others.
    func releaseEnded() {
        ended.release { handle, isSound in
            multi.remove(handle)
            handle.end()
            if isSound { handles.put(handle) }
        }
        startReady()
    }

    /// Ends transfers that have timed out and finds the next deadline. With many transfers this runs less often: the pause
    /// between runs is 2 µs for each, at least 1 ms and at most 50 ms. So 10,000 deadlines cost at most a fiftieth of the thread.
    ///
    /// - Parameter looked: when libcurl last read the sockets.
    func expire(_ looked: LoopClock.Nanoseconds) {
        guard looked >= nextDeadline else { return }
        var earliest = LoopClock.never
        var index = transfers.count - 1
        while index >= 0 {
            let transfer = transfers[index]
            if looked >= transfer.bodyEnd.redirectDue {
                // As for a streamed body (`Reply.discardBody`), the rest is not waited for.
                transfer.bodyEnd.isDecided = true
                settle(transfer, CURLE_OK)
            } else if let error = transfer.expired(looked) {
                transfer.failure = error
                finish(transfer, .failed(error))
            } else {
                // Only so that libcurl looks at the answer: neither side has moved.
                if let handle = transfer.handle, transfer.stream?.isHeld != true, transfer.upload.mustResume(handle.library) {
                    release(transfer, handle)
                }
                earliest = min(earliest, transfer.due(looked))
            }
            index -= 1
        }
        let pause = min(50_000_000, max(1_000_000, Int64(transfers.count) * 2_000))
        nextDeadline = max(earliest, looked + pause)
    }

    // MARK: - A transfer's life

    private func startReady() {
        guard shard.index == 0 else { return }
        while let transfer = pool.next() {
            guard !transfer.isTooLate(now) else {
                // Its timeout ends it; a transfer with enough time starts instead.
                pool.finish(transfer)
                continue
            }
            guard transfer.ticket?.shard == 0 else {
                drop(transfer)
                transfer.phase = .new
                pool.move(transfer)
                continue
            }
            start(transfer)
        }
    }

    private func start(_ transfer: CurlTransfer) {
        transfer.phase = .active
        transfer.clock.activated = now
        transfer.clock.lastActivity = now
        if transfer.request.url.scheme == .https { transfer.route.pinCheck = pinCheck(for: transfer.request) }
        launch(transfer)
    }

    private func pinCheck(for request: PreparedRequest) -> PinCheck? {
        if let known = pinChecks[request.url.host] { return known }
        let check = PinCheck(host: request.url.host, trust: request.trust)
        pinChecks[request.url.host] = check
        return check
    }

    /// Starts the transfer once more; on a new connection, if the old one had bytes that answer no request.
    private func startAgain(_ transfer: CurlTransfer) {
        if let handle = transfer.handle {
            multi.remove(handle)
            handle.end()
            transfer.handle = nil
        }
        transfer.sendings.startAgain()
        launch(transfer)
    }

    private func launch(_ transfer: CurlTransfer) {
        do throws(TransportError) {
            let form = CurlHandle.Form(transfer.request)
            guard let handle = handles.take(form) else { throw .outOfHandles }
            transfer.clock.launchTurn = multi.connections.turn
            try handle.setOptions(for: transfer, as: form, inFlight: pool.active.load(ordering: .relaxed))
            try multi.add(handle)
            nextDeadline = min(nextDeadline, transfer.due(now))
        } catch {
            finish(transfer, .failed(error))
        }
    }

    /// Restarts or ends a transfer that libcurl has finished.
    private func settle(_ transfer: CurlTransfer, _ code: CURLcode) {
        // libcurl reports a transfer that failed inside `curl_easy_pause`, and was finished there, once more.
        guard transfer.phase.isActive else { return }
        if transfer.isToStartAgain { startAgain(transfer) } else { finish(transfer, transfer.end(code, at: now)) }
    }

    /// libcurl has opened a connection for another protocol.
    private func open(_ transfer: CurlTransfer) {
        guard transfer.phase.isActive, let handle = transfer.handle else { return }
        guard let connection = RawSocket(of: transfer, handle) else {
            return finish(transfer, .failed(.other(code: 0, message: "libcurl names no socket of the connection")))
        }
        multi.keep(connection, of: transfer)
        transfer.deliver(connection, handle.metrics(of: transfer, at: now))
        move(transfer)
    }

    /// Moves bytes of a raw connection in both directions.
    private func move(_ transfer: CurlTransfer) {
        guard transfer.phase.isActive, let connection = transfer.phase.raw else { return }
        switch multi.move(connection) {
        case .waits(_, let hasMore): if hasMore { multi.connections.pauseForTurn(transfer) }
        case .ended:
            let isAnnounced = transfer.route.tls?.hasCloseNotify
            transfer.stream?.finish(.init(end: .complete, isEndAnnounced: isAnnounced, trailers: [], total: nil))
            move(transfer)
        case .broke(let reason): finish(transfer, .failed(.connectionLost(reason: reason, mayHaveBeenProcessed: false)))
        }
    }

    private func finish(_ transfer: CurlTransfer, _ end: CurlOutcome.End) {
        if let connection = transfer.phase.raw {
            connection.sendRest()
            multi.forget(connection)
        }
        let handle = transfer.handle
        let metrics = handle?.metrics(of: transfer, at: now)
        var isEndAnnounced = transfer.route.tls?.hasCloseNotify
        if let handle, metrics?.httpVersion == "HTTP/2" { isEndAnnounced = multi.hasEndedStream(handle) }
        if handle != nil, transfer.failure != nil { closeConnectionAfterUse(of: transfer) }
        let told: EndedTransfers.End
        var isSound = transfer.hasHead && !transfer.bodyEnd.isDecided && transfer.sendings.leavesHandleClean(handle?.library)
        if transfer.phase.isDelivered {
            let trailers = handle?.head.trailers ?? []
            told = .streamed(.init(end: end, isEndAnnounced: isEndAnnounced, trailers: trailers, total: metrics?.total))
            if case .complete = end {} else { isSound = false }
        } else {
            let end = transfer.fillOutcome(end, metrics, isEndAnnounced: isEndAnnounced)
            told = .collected(end)
            if case .complete = end {} else { isSound = false }
        }
        pool.finish(transfer)
        drop(transfer)
        transfer.releaseResources()
        ended.append(transfer, told, handle, isSound: isSound)
    }

    /// Closes the connection of a transfer that a timeout or a limit stopped. Its bytes may keep arriving, and libcurl would read
    /// them forever under the next request; a silent peer stays silent. Other streams keep their connection until they are done.
    /// If they have received nothing either, no new stream joins them.
    private func closeConnectionAfterUse(of transfer: CurlTransfer) {
        try? transfer.handle?.forbidReuse()
        // Without HTTP/2 there is no other stream. And if thousands stop at once, one check is enough.
        guard let connection = transfer.route.connection, transfer.ticket?.multiplexes != false, !connection.isDecided else { return }
        let others = transfers.filter { $0 !== transfer && $0.route.connection === connection }
        guard !others.contains(where: { $0.clock.lastActivity > transfer.clock.lastActivity }) else { return connection.keep() }
        guard connection.markForClose() else { return }
        // The last of them closes it.
        for other in others { try? other.handle?.forbidReuse() }
    }

    private func drop(_ transfer: CurlTransfer) {
        guard let last = transfers.popLast(), last !== transfer else { return }
        last.index = transfer.index
        transfers[transfer.index] = last
    }
}
