internal import CCurl
internal import Foundation
internal import Synchronization

/// What lives on the loop's thread, in the frame of its only function: libcurl's handles, the queue of what waits for a place, and the
/// clocks.
struct CurlWorker: ~Copyable {
    private let loop: CurlLoop
    private let multi: CurlMulti
    private let queue: HostQueue<HostKey, CurlTransfer>
    private var handles: CurlHandlePool
    /// One per host that has pins. Kept for good, because connections refer to them.
    private var pinChecks: [String: PinCheck] = [:]
    /// Everything that waits or runs.
    private var transfers: [CurlTransfer] = []
    private var ended = EndedTransfers()
    /// No clock of any transfer runs out before this.
    private var nextDeadline = LoopClock.never
    private var now = LoopClock.now()
    /// Whether something has kept the thread so long that clocks may have run out; whether there is more to do before it may sleep.
    private var (wasHeldUp, isBusy) = (false, false)

    /// The thread's whole life.
    static func run(for loop: CurlLoop, limits: Limits) {
        do throws(TransportError) {
            guard CurlGlobal.code == CURLE_OK else {
                throw .curl(code: Int(CurlGlobal.code.rawValue), message: String(cString: curl_easy_strerror(CurlGlobal.code)))
            }
            var worker = try CurlWorker(loop, limits: limits)
            worker.work()
        } catch {
            return loop.threadEnds(failing: error)
        }
        loop.threadEnds()
    }

    private init(_ loop: CurlLoop, limits: Limits) throws(TransportError) {
        self.loop = loop
        multi = try CurlMulti(limits: limits)
        handles = CurlHandlePool(capacity: min(max(1, limits.connections), 64), connections: multi.connections)
        queue = HostQueue(
            connections: limits.connections, connectionsPerHost: limits.connectionsPerHost,
            streamsPerConnection: limits.streamsPerConnection, capacity: limits.queuedRequests)
    }

    private mutating func work() {
        var messages: [CurlLoop.Message] = []
        while true {
            guard collect(&messages) else { break }
            // What a request's body kept waiting is not late: its answer may have come meanwhile.
            if wasHeldUp { move() }
            wasHeldUp = false
            if now >= nextDeadline { expire() }
            move()
            sleep()
        }
        while let transfer = transfers.last { finish(transfer, .failed(.closed)) }
        resumeEnded()
        handles = CurlHandlePool(capacity: 0, connections: multi.connections)  // Before the multi handle that they were in.
        loop.retireWaker()
    }

    /// Handles what came.
    ///
    /// - Returns: whether the loop goes on.
    private mutating func collect(_ messages: inout [CurlLoop.Message]) -> Bool {
        let isClosing = loop.collect(into: &messages)
        now = LoopClock.now()
        for message in messages { handle(message) }
        messages.removeAll(keepingCapacity: true)
        resumeEnded()
        return !isClosing
    }

    private mutating func handle(_ message: CurlLoop.Message) {
        switch message {
        case .submit(let transfer):
            guard transfer.stage == .new else { return transfer.resume(.cancelled) }
            transfer.submitted = now
            // What HTTP/2 there is in clear text, the kit does not speak.
            let multiplexes = transfer.request.url.scheme == .https && CurlVersion.current.hasHTTP2 ? nil : false
            let key = HostKey(transfer.request.url)
            let started = transfer.isTooLate(now) ? nil : queue.start(for: key, multiplexes: multiplexes)
            guard let ticket = started ?? queue.enqueue(transfer, for: key, multiplexes: multiplexes) else {
                transfer.stage = .done
                return transfer.resume(.failed(.queueFull(limit: queue.capacity)))
            }
            (transfer.ticket, transfer.stage, transfer.index) = (ticket, .queued, transfers.count)
            transfers.append(transfer)
            nextDeadline = min(nextDeadline, transfer.request.deadline)
            if started != nil { start(transfer) }
            startReady()
        case .cancel(let transfer):
            switch transfer.stage {
            case .new: transfer.stage = .done  // Its submission is still on the way.
            case .queued, .active: finish(transfer, .cancelled)
            case .done: break
            }
        }
    }

    /// After what may have taken its time: the body of a request, a handshake.
    private mutating func readClock() {
        let began = now
        now = LoopClock.now()
        if now - began > 5_000_000 { wasHeldUp = true }
    }

    /// Lets every transfer go as far as it can.
    private mutating func move() {
        startReady()
        resumeEnded()
        isBusy = queue.active > 0
        // Bounded, because the mailbox and the clocks wait.
        for _ in 0..<8 where isBusy {
            do {
                try multi.perform()
            } catch {
                failActive(error)
            }
            readClock()
            for (transfer, multiplexes) in multi.connections.takeDiscovered() {
                if let ticket = transfer.ticket { queue.learn(ticket, multiplexes: multiplexes) }
            }
            while let (transfer, code) = multi.nextDone() { settle(transfer, code) }
            for transfer in multi.takeWhole() {
                transfer.isBodyWhole = true
                settle(transfer, CURLE_OK)
            }
            resumeEnded()
            isBusy = startReady() || multi.hasUntoldAnswers()
        }
        for transfer in multi.takeGivenUp() where transfer.stage == .active && transfer.streamFailure != nil {
            transfer.condemnConnection(among: transfers)
            settle(transfer, CURLE_HTTP2)
        }
        resumeEnded()
    }

    private mutating func sleep() {
        guard !isBusy, loop.maySleep(multi.waker) else { return }
        let wait = max(0, (min(nextDeadline, LoopClock.never) - now + 999_999) / 1_000_000)
        do {
            try multi.wait(milliseconds: Int32(clamping: min(wait, 3_600_000)))
        } catch {
            failActive(error)
            // Should the system refuse to wait again and again, this must not become a loop at full speed.
            usleep(1_000)
        }
    }

    // MARK: - A transfer's life

    @discardableResult
    private mutating func startReady() -> Bool {
        var hasStarted = false
        defer { count() }
        while let (transfer, ticket) = queue.next() {
            guard !transfer.isTooLate(now) else {
                // Its clock ends it; its place goes to one that has the time to use it.
                transfer.ticket = nil
                queue.finish(ticket)
                continue
            }
            transfer.ticket = ticket
            start(transfer)
            hasStarted = true
        }
        return hasStarted
    }

    private mutating func start(_ transfer: CurlTransfer) {
        transfer.stage = .active
        transfer.activated = now
        transfer.lastActivity = now
        if transfer.request.url.scheme == .https { transfer.pinCheck = pinCheck(for: transfer.request) }
        launch(transfer)
    }

    private mutating func pinCheck(for request: HopRequest) -> PinCheck? {
        if let known = pinChecks[request.url.host] { return known }
        let check = PinCheck(host: request.url.host, trust: request.trust)
        pinChecks[request.url.host] = check
        return check
    }

    /// Again; where the connection had bytes on it that nobody asked for, on one that nobody has used.
    private mutating func startAgain(_ transfer: CurlTransfer) {
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

    private mutating func launch(_ transfer: CurlTransfer) {
        do throws(TransportError) {
            let form = transfer.form
            guard let handle = handles.take(form) else { throw .outOfHandles }
            transfer.handle = handle
            transfer.launchTurn = multi.connections.turn
            try transfer.describe(to: handle, as: form, inFlight: queue.active)
            try multi.add(handle)
            nextDeadline = min(nextDeadline, transfer.due(now))
        } catch {
            finish(transfer, .failed(error))
        }
    }

    /// What libcurl is done with starts again or is over.
    private mutating func settle(_ transfer: CurlTransfer, _ code: CURLcode) {
        if transfer.isToStartAgain { startAgain(transfer) } else { finish(transfer, transfer.end(code, at: now)) }
    }

    private mutating func finish(_ transfer: CurlTransfer, _ end: CurlOutcome.End) {
        var end = end
        swap(&transfer.outcome.body, &transfer.body)
        transfer.outcome.isEndAnnounced = transfer.tlsConnection?.hasCloseNotify
        if let check = transfer.pinCheck {
            let isRefused = if case .failed(.tls) = end { true } else { false }
            transfer.outcome.pinMismatches = check.takeMismatches(isRefused: isRefused, since: transfer.activated)
            if let own = transfer.outcome.pinMismatches.last, own.isEnforced {
                end = .failed(.pinMismatch(host: own.host, reason: own.reason))
            }
        }
        let handle = transfer.handle
        if let handle {
            if handle.head.isComplete { transfer.outcome.keep(handle.head) }
            let metrics = handle.metrics(of: transfer, at: now)
            if metrics.httpVersion == "HTTP/2" { transfer.outcome.isEndAnnounced = multi.hasEndedStream(handle) }
            transfer.outcome.metrics = metrics
            if transfer.failure != nil { transfer.condemnConnection(among: transfers) }
        }
        if let ticket = transfer.ticket {
            if transfer.stage == .active { queue.finish(ticket) } else { queue.remove(ticket) }
        }
        if let last = transfers.popLast(), last !== transfer {
            last.index = transfer.index
            transfers[transfer.index] = last
        }
        // libcurl counts what it sent again, and remembers a 417 and a refused stream, from one exchange to the next.
        let isSound =
            if case .complete = end { transfer.timesSent == 1 && transfer.hasHead && !transfer.isBodyWhole } else { false }
        transfer.leave()
        count()
        ended.append(transfer, end, handle, isSound: isSound)
    }

    private mutating func resumeEnded() {
        ended.resume { [multi] handle, isSound in
            multi.remove(handle)
            handle.end()
            if isSound { handles.put(handle) }
        }
    }

    private func count() {
        loop.active.store(queue.active, ordering: .releasing)
        loop.queued.store(queue.waiting, ordering: .releasing)
    }

    private mutating func failActive(_ error: TransportError) {
        for transfer in transfers.filter({ $0.stage == .active }) { finish(transfer, .failed(error)) }
        // What libcurl was about to say of them goes with their handles.
        resumeEnded()
    }

    // MARK: - Clocks

    /// Ends what has run out of time and finds when the next one will. With many transfers this is done less often, so that the
    /// clocks of 10,000 cost no more than a fiftieth of the thread: every 2 µs for each, at most every 50 ms, at least every 1 ms.
    private mutating func expire() {
        var earliest = LoopClock.never
        var index = transfers.count - 1
        while index >= 0 {
            let transfer = transfers[index]
            if let error = transfer.expired(now) {
                transfer.failure = error
                finish(transfer, .failed(error))
            } else {
                earliest = min(earliest, transfer.due(now))
            }
            index -= 1
        }
        let pause = min(50_000_000, max(1_000_000, Int64(transfers.count) * 2_000))
        nextDeadline = max(earliest, now + pause)
    }
}
