internal import CCurl
internal import CoreAPICore
internal import Synchronization

/// A pool's part on one loop's thread: libcurl's handles, the transfers that wait or run, and their clocks. On that thread only.
final class PoolWorker {
    private let pool: ConnectionPool
    private let shard: PoolShard
    private let multi: CurlMulti
    private var handles: CurlHandlePool
    /// One per host that has pins. Kept for good, because connections refer to them.
    private var pinChecks: [String: PinCheck] = [:]
    /// Everything that waits or runs here.
    private var transfers: [CurlTransfer] = []
    private var ended = EndedTransfers()
    /// No clock of any transfer runs out before this.
    private var nextDeadline = LoopClock.never
    /// When libcurl is to be called for all transfers, because it may hold back an answer.
    private var untoldDue = LoopClock.never
    private var now: LoopClock.Nanoseconds = 0
    /// Whether the loop looks after it in its turns.
    var isAttended = false

    /// - Throws: ``TransportError`` when libcurl cannot be set up.
    init(of pool: ConnectionPool, _ shard: PoolShard, _ sockets: PollSet) throws(TransportError) {
        self.pool = pool
        self.shard = shard
        multi = try CurlMulti(
            shard.share, streams: pool.limits.streamsPerConnection, sockets: sockets, library: pool.library)
        handles = CurlHandlePool(capacity: min(shard.share.inAll, 64), connections: multi.connections)
    }

    /// Ends what is left with ``TransportError/closed``, and closes the connections.
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

    // MARK: - What the loop is told

    /// Takes a transfer that may start already, or queues it.
    func submit(_ transfer: CurlTransfer, _ now: LoopClock.Nanoseconds) {
        self.now = now
        guard transfer.stage == .new else {
            pool.finish(transfer)
            transfer.leave()
            return transfer.resume(.cancelled)
        }
        if transfer.submitted == 0 { transfer.submitted = now }
        do throws(TransportError) {
            guard now < transfer.request.deadline else { throw .timedOut(.total, after: transfer.request.request.timeout.total) }
            let ticket: HostQueue<HostKey, CurlTransfer>.Ticket =
                if let given = transfer.ticket { given } else { try pool.enqueue(transfer) }
            guard !ticket.isStarted || ticket.shard == shard.index else { return pool.move(transfer) }
            (transfer.stage, transfer.index) = (.queued, transfers.count)
            transfers.append(transfer)
            nextDeadline = min(nextDeadline, transfer.request.deadline)
            if ticket.isStarted { start(transfer) } else { startReady() }
        } catch {
            pool.refuse(transfer, error)
        }
    }

    func cancel(_ transfer: CurlTransfer, _ now: LoopClock.Nanoseconds) {
        self.now = now
        finish(transfer, .cancelled)
    }

    /// Another shard has finished a transfer: one that waits may start.
    func hearsOfRoom(_ now: LoopClock.Nanoseconds) {
        self.now = now
        pool.homeHears()
        startReady()
    }

    /// The task has taken what waited for it, or has more to send.
    func goOn(_ transfer: CurlTransfer, _ now: LoopClock.Nanoseconds) {
        self.now = now
        guard transfer.stage == .active, let handle = transfer.handle, transfer.isHeld || transfer.upload.isHeld else { return }
        (transfer.isHeld, transfer.upload.isHeld) = (false, false)
        transfer.lastActivity = now
        unpause(transfer, handle)
        nextDeadline = min(nextDeadline, transfer.due(now))
    }

    // MARK: - A turn of the loop

    /// When the loop has to look at it next, whatever happens on its sockets.
    func due(_ now: LoopClock.Nanoseconds) -> LoopClock.Nanoseconds {
        ended.isEmpty && !multi.connections.hasRested ? min(nextDeadline, untoldDue, multi.timerDue(now)) : now
    }

    /// Whether there is anything to wait for.
    var needsAttention: Bool {
        !transfers.isEmpty || !ended.isEmpty || multi.watched > 0 || multi.timerDue(now) < LoopClock.never
    }

    /// A turn begins: answers that had their part of the last one go on.
    ///
    /// - Parameter isShared: whether other pools are served in it, too.
    func beginTurn(isShared: Bool) {
        multi.connections.isShared = isShared
        for transfer in multi.connections.takeRested() where transfer.stage == .active && !transfer.isHeld {
            if let handle = transfer.handle { unpause(transfer, handle) }
        }
    }

    /// A piece that libcurl kept while the transfer was paused may be one too many; that ends this transfer and no other.
    private func unpause(_ transfer: CurlTransfer, _ handle: CurlHandle) {
        let code = multi.goOn(handle)
        if code != CURLE_OK { finish(transfer, transfer.end(code, at: now)) }
    }

    /// Calls libcurl where it wants to be, sockets or not.
    ///
    /// - Returns: whether it did.
    func runTimers(_ now: LoopClock.Nanoseconds) -> Bool {
        guard untoldDue > now else {
            multi.actOnAll()
            return true
        }
        guard multi.timerDue(now) <= now else { return false }
        multi.actOnTimers()
        return true
    }

    /// Sees what became of the transfers, if libcurl was called in this turn.
    func settle(_ now: LoopClock.Nanoseconds) {
        self.now = now
        guard multi.isInTurn else { return }
        do throws(TransportError) {
            try multi.endTurn()
        } catch {
            for transfer in transfers.filter({ $0.stage == .active }) { finish(transfer, .failed(error)) }
            // What libcurl was about to say of them goes with their handles.
            resumeEnded()
            return releaseEnded()
        }
        for (transfer, multiplexes) in multi.connections.takeDiscovered() {
            if let ticket = transfer.ticket { pool.learn(ticket, multiplexes: multiplexes) }
        }
        for transfer in multi.connections.takeHeaded() where transfer.stage == .active {
            if let handle = transfer.handle { transfer.deliverHead(handle.metrics(of: transfer, at: now)) }
        }
        while let (transfer, code) = multi.nextDone() { settle(transfer, code) }
        for transfer in multi.takeWhole() + multi.connections.takeWhole() where transfer.stage == .active {
            transfer.isBodyWhole = true
            settle(transfer, CURLE_OK)
        }
        for transfer in multi.takeGivenUp() where transfer.stage == .active && transfer.streamFailure != nil {
            transfer.closeConnectionAfterUse(among: transfers)
            settle(transfer, CURLE_HTTP2)
        }
        let isUntold = multi.hasUntoldAnswers()
        // Should an answer be untold still, it does not wait for the next one.
        untoldDue = isUntold ? now : multi.mayHaveUntoldAnswers ? now + 50_000_000 : LoopClock.never
    }

    /// Resumes the tasks whose transfers are over.
    func resumeEnded() { ended.resume() }

    /// Takes their handles back, and lets others begin.
    func releaseEnded() {
        ended.release { handle, isSound in
            multi.remove(handle)
            handle.end()
            if isSound { handles.put(handle) }
        }
        startReady()
    }

    /// Ends what has run out of time and finds when the next one will. With many transfers this is done less often, so that the
    /// clocks of 10,000 cost no more than a fiftieth of the thread: every 2 µs for each, at most every 50 ms, at least every 1
    /// ms.
    ///
    /// - Parameter looked: when libcurl has last looked at the sockets.
    func expire(_ looked: LoopClock.Nanoseconds) {
        guard looked >= nextDeadline else { return }
        var earliest = LoopClock.never
        var index = transfers.count - 1
        while index >= 0 {
            let transfer = transfers[index]
            if let error = transfer.expired(looked) {
                transfer.failure = error
                finish(transfer, .failed(error))
            } else {
                if transfer.isDeaf { goOn(transfer, looked) }
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
                // Its clock ends it; a transfer that has the time starts instead.
                pool.finish(transfer)
                continue
            }
            guard transfer.ticket?.shard == 0 else {
                drop(transfer)
                transfer.stage = .new
                pool.move(transfer)
                continue
            }
            start(transfer)
        }
    }

    private func start(_ transfer: CurlTransfer) {
        transfer.stage = .active
        transfer.activated = now
        transfer.lastActivity = now
        if transfer.request.url.scheme == .https { transfer.pinCheck = pinCheck(for: transfer.request) }
        launch(transfer)
    }

    private func pinCheck(for request: PreparedRequest) -> PinCheck? {
        if let known = pinChecks[request.url.host] { return known }
        let check = PinCheck(host: request.url.host, trust: request.trust)
        pinChecks[request.url.host] = check
        return check
    }

    /// Starts it once more. Where the connection had bytes on it that answer no request, on a fresh one.
    private func startAgain(_ transfer: CurlTransfer) {
        if let handle = transfer.handle {
            multi.remove(handle)
            handle.end()
            transfer.handle = nil
        }
        transfer.needsFreshConnection = transfer.foundUnreadBytes
        transfer.foundUnreadBytes = false
        transfer.timesSentBefore = transfer.timesSent
        launch(transfer)
    }

    private func launch(_ transfer: CurlTransfer) {
        do throws(TransportError) {
            let form = transfer.form
            guard let handle = handles.take(form) else { throw .outOfHandles }
            transfer.handle = handle
            transfer.launchTurn = multi.connections.turn
            try transfer.describe(to: handle, as: form, inFlight: pool.active.load(ordering: .relaxed))
            try multi.add(handle)
            nextDeadline = min(nextDeadline, transfer.due(now))
        } catch {
            finish(transfer, .failed(error))
        }
    }

    /// What libcurl is done with starts again or is over.
    private func settle(_ transfer: CurlTransfer, _ code: CURLcode) {
        // libcurl tells of one that failed inside `curl_easy_pause`, and was finished there, once more.
        guard transfer.stage == .active else { return }
        if transfer.isToStartAgain { startAgain(transfer) } else { finish(transfer, transfer.end(code, at: now)) }
    }

    private func finish(_ transfer: CurlTransfer, _ end: CurlOutcome.End) {
        var end = end
        let handle = transfer.handle
        var isEndAnnounced = transfer.tlsConnection?.hasCloseNotify
        if let handle {
            let metrics = handle.metrics(of: transfer, at: now)
            if metrics.httpVersion == "HTTP/2" { isEndAnnounced = multi.hasEndedStream(handle) }
            if !transfer.isStreaming {
                if handle.head.isComplete { transfer.outcome.keep(handle.head) }
                transfer.outcome.metrics = metrics
            }
            if transfer.failure != nil { transfer.closeConnectionAfterUse(among: transfers) }
        }
        if transfer.isStreaming {
            transfer.streamEnd = isEndAnnounced
        } else {
            swap(&transfer.outcome.body, &transfer.body)
            transfer.outcome.isEndAnnounced = isEndAnnounced
            if let check = transfer.pinCheck {
                let isRefused = if case .failed(.tls) = end { true } else { false }
                transfer.outcome.pinMismatches = check.takeMismatches(isRefused: isRefused, since: transfer.activated)
                if let own = transfer.outcome.pinMismatches.last, own.isEnforced {
                    end = .failed(.pinMismatch(host: own.host, reason: own.reason))
                }
            }
        }
        pool.finish(transfer)
        drop(transfer)
        // libcurl counts what it sent again, and remembers a 417 and a refused stream, from one exchange to the next.
        let isSound =
            if case .complete = end { transfer.timesSent == 1 && transfer.hasHead && !transfer.isBodyWhole } else { false }
        transfer.leave()
        ended.append(transfer, end, handle, isSound: isSound)
    }

    private func drop(_ transfer: CurlTransfer) {
        guard let last = transfers.popLast(), last !== transfer else { return }
        last.index = transfer.index
        transfers[transfer.index] = last
    }
}

/// The transfers that are over and whose tasks were not resumed yet. On the loop's thread only.
///
/// All finished transfers of a turn are resumed at once: one thread wake-up a turn instead of one a transfer, 4 % less processor
/// time for 64 typed calls at a time.
struct EndedTransfers: ~Copyable {
    private struct Ended {
        let transfer: CurlTransfer
        let end: CurlOutcome.End
        let handle: CurlHandle?
        let isSound: Bool
    }

    private var all: [Ended] = []

    var isEmpty: Bool { all.isEmpty }

    /// - Parameters:
    ///   - end: what the transfer comes to.
    ///   - handle: what it had, in the multi handle still; `nil` for one that never left the queue.
    ///   - isSound: whether the handle may serve another.
    mutating func append(_ transfer: CurlTransfer, _ end: CurlOutcome.End, _ handle: CurlHandle?, isSound: Bool) {
        all.append(Ended(transfer: transfer, end: end, handle: handle, isSound: isSound))
    }

    /// Called once for each turn, before ``release(_:)``.
    func resume() {
        for ended in all { ended.transfer.resume(ended.end) }
    }

    /// Called before libcurl moves the handles again, and before `curl_multi_info_read` tells of one a second time: they are in
    /// the multi handle until then. Afterwards, so that the tasks wake up meanwhile.
    ///
    /// - Parameter takeBack: takes back a handle.
    mutating func release(_ takeBack: (CurlHandle, _ isSound: Bool) -> Void) {
        guard !all.isEmpty else { return }
        for ended in all {
            if let handle = ended.handle { takeBack(handle, ended.isSound) }
        }
        all.removeAll(keepingCapacity: true)
    }
}
