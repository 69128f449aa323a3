internal import CCurl
internal import CoreAPICore
internal import CoreAPIHTTP
internal import CoreAPITrust
internal import Foundation
internal import Synchronization

/// One exchange on its way through the loop: one request, one response, no redirect.
///
/// The sending task makes it and hands it over with a message. From then on only the loop's thread touches it, until the loop has
/// resumed the task with a ``ExchangeOutcome``. The fields of one concern are a value of their own, beside the code that uses
/// them.
///
/// ```
/// new ──▶ queued ──▶ active ──┬──▶ streaming ──┬──▶ done
///  │ ▲      │         │  ▲    ├──▶ raw ────────┤
///  │ └──────┘         └──┘    └────────────────┘
///  ▼  other shard   sent again
/// cancelled ──▶ done
/// ```
///
/// `@unchecked`: one owner at a time; the loop's mutex orders the hand-over.
final class Exchange: @unchecked Sendable {
    enum Phase {
        case new
        /// Cancelled before the loop got it.
        case cancelled
        /// It waits for a connection.
        case queued
        /// libcurl has it, and the task waits.
        case active
        /// libcurl has it. The task has the head and reads the body.
        case streaming
        /// The task has the connection, and speaks another protocol on it.
        case raw(RawSocket)
        case done
    }

    let request: PreparedRequest
    /// The buffer of a streamed body or of a raw connection; `nil` for a body that is collected.
    private(set) var stream: CurlBodyStream?

    // Of the waiting task.

    /// Resumed once, by the loop, which removes it first. A run-time check of that would cost an allocation and 600 instructions
    /// a request.
    var continuation: UnsafeContinuation<Void, Never>?
    @exclusivity(unchecked) private var madeOutcome: ExchangeOutcome?
    /// Whether the outcome is set. The runtime orders a resumption before the code after it. ThreadSanitizer does not see that if
    /// the response arrives before the task waits.
    let isOver = Atomic(false)
    /// Whether its task was cancelled. A loop without a thread gets no message, and asks when it begins.
    let isCancelled = Atomic(false)

    // Of the pool, under its lock.

    var shard: PoolShard?
    var ticket: ConnectionPool.Queue.Ticket?

    // Of the loop.

    @exclusivity(unchecked) var phase = Phase.new
    /// Its index among the worker's exchanges.
    var index = 0
    var handle: CurlHandle?
    @exclusivity(unchecked) var clock = ExchangeClock()
    @exclusivity(unchecked) var upload: UploadBody
    @exclusivity(unchecked) var sendings = Sendings()
    @exclusivity(unchecked) var route = Route()
    @exclusivity(unchecked) var body = CollectedBody()
    @exclusivity(unchecked) var bodyEnd = BodyEnd()
    @exclusivity(unchecked) var http2 = HTTP2Stream()
    /// Why a callback stopped the exchange. More specific than libcurl's code, which is only "aborted".
    @exclusivity(unchecked) var failure: TransportError?

    init(_ request: PreparedRequest) {
        self.request = request
        upload = UploadBody(request.request.body)
        guard request.streamsBody else { return }
        stream = CurlBodyStream(
            sends: request.connectsOnly,
            resume: { [weak self] in self?.callLoop() },
            abandoned: { [weak self] in self?.endExchange() })
    }

    /// Set before the continuation is resumed. Made at first access, because an exchange that waits needs none.
    var outcome: ExchangeOutcome {
        if let madeOutcome { return madeOutcome }
        let outcome = ExchangeOutcome()
        madeOutcome = outcome
        return outcome
    }

    var hasHead: Bool { handle?.head.isComplete ?? false }

    /// Tells the loop that the task needs no more of the exchange.
    func endExchange() { shard?.loop.postIfRunning(.cancel(self)) }
    /// Tells the loop that there is room for more of the response, or that there is more of the request.
    func callLoop() { shard?.loop.postIfRunning(.resume(self)) }

    /// Hands the head over to the task, which then reads the body from ``stream``.
    func deliverHead(_ metrics: ExchangeMetrics) {
        guard stream != nil, case .active = phase, let handle, handle.head.isComplete else { return }
        outcome.keep(handle.head)
        // Those of a short body may be here already; its reader gets them at its end.
        outcome.trailers = []
        deliver(metrics, .streaming)
    }

    /// Hands an open connection over to the task.
    func deliver(_ connection: RawSocket, _ metrics: ExchangeMetrics) {
        route.tls = route.connection?.tls
        deliver(metrics, .raw(connection))
    }

    private func deliver(_ metrics: ExchangeMetrics, _ next: Phase) {
        outcome.metrics = metrics
        // Some of the body may be here already; how much depends on the turn of the loop.
        outcome.metrics?.bytesReceived = nil
        if let check = route.pinCheck {
            outcome.pinMismatches = check.takeMismatches(isRejected: false, since: clock.activated)
        }
        outcome.end = .complete
        outcome.isStreamed = true
        phase = next
        wake()
    }

    /// Resumes the task that waits for a collected body. From here on the task owns the exchange.
    func resume(_ end: ExchangeOutcome.End) {
        outcome.end = end
        wake()
    }

    private func wake() {
        isOver.store(true, ordering: .releasing)
        let waiting = continuation
        continuation = nil
        waiting?.resume()
    }

    /// Gives the loop's resources back.
    func releaseResources() {
        phase = .done
        // A list of the loop may keep the exchange until the pool's next turn; its sequence must not wait that long.
        upload.close()
        handle = nil
        ticket = nil
        // The connection stays known: removing the handle may still show that it must not be used again.
        (route.tls, route.pinCheck) = (nil, nil)
    }
}

extension Exchange.Phase {
    var isActive: Bool { if case .active = self { true } else { isDelivered } }

    /// Whether the task has the head or the connection. From then on it owns the outcome.
    var isDelivered: Bool {
        switch self {
        case .streaming, .raw: true
        case .new, .cancelled, .queued, .active, .done: false
        }
    }

    var raw: RawSocket? { if case .raw(let connection) = self { connection } else { nil } }
}

// MARK: - Its time

/// When an exchange did what, and when libcurl last moved a byte of it.
struct ExchangeClock {
    /// When it joined the queue and when it left it.
    var submitted: LoopClock.Nanoseconds = 0
    var activated: LoopClock.Nanoseconds = 0
    /// When sending of the request last began, and when the response's first line arrived; 0 until then.
    var sent: LoopClock.Nanoseconds = 0
    var responded: LoopClock.Nanoseconds = 0
    /// When a byte was last received or sent.
    var lastActivity: LoopClock.Nanoseconds = 0
    /// Bytes of the request's body that have been sent.
    private var uploaded: Int64 = 0
    /// The turn of the loop in which libcurl got the exchange; libcurl handles it in the next, or later in the same.
    var launchTurn: UInt = 0

    mutating func note(uploaded count: Int64) {
        guard count != uploaded else { return }
        uploaded = count
        lastActivity = LoopClock.now()
    }
}

extension Exchange {
    /// Whether libcurl has handled the exchange: in a later turn, or in the turn of its launch if a message began that turn.
    var hasBegun: Bool { sendings.isSent || handle.map { $0.connections.turn != clock.launchTurn } ?? false }

    /// When the whole call must be over. A streamed body has no deadline, because its reader sets the pace.
    private var deadline: LoopClock.Nanoseconds {
        phase.isDelivered ? LoopClock.never : min(request.deadline, bodyEnd.redirectDue)
    }

    /// When the loop must check the exchange next.
    func due(_ now: LoopClock.Nanoseconds) -> LoopClock.Nanoseconds {
        guard phase.isActive else { return request.deadline }
        if stream?.isHeld == true || phase.raw != nil { return deadline }
        let idle = request.request.timeout.idle.clampedNanoseconds
        if upload.isHeld {
            let resumed = upload.resumeDue(now, handle?.library)
            return min(deadline, resumed, phase.isDelivered ? clock.lastActivity + idle : LoopClock.never)
        }
        // The idle clock is stopped while it connects, but may start at any moment.
        return min(deadline, (sendings.isSent ? clock.lastActivity : now) + idle)
    }

    /// Whether less than a fiftieth of the queue wait is left before the deadline: the last 1.2 s of a minute. Starting the
    /// exchange would open a connection only to time out.
    func isTooLate(_ now: LoopClock.Nanoseconds) -> Bool { request.deadline - now <= (now - clock.submitted) / 50 }

    /// The timeout that has expired, if any.
    func expired(_ now: LoopClock.Nanoseconds) -> TransportError? {
        let timeout = request.request.timeout
        if now >= deadline { return .timedOut(.total, after: timeout.total) }
        // A raw connection may be silent for hours; its protocol has clocks of its own.
        guard phase.isActive, sendings.isSent, phase.raw == nil else { return nil }
        // The task is slow, not the peer. Once the task waits for the response's body, the peer's silence counts again.
        guard stream?.isHeld != true, !upload.isHeld || phase.isDelivered else {
            clock.lastActivity = now
            return nil
        }
        let silence = now - clock.lastActivity
        return silence >= max(timeout.idle.clampedNanoseconds, 1_000_000) ? .timedOut(.idle, after: timeout.idle) : nil
    }
}

extension CurlHandle {
    /// Bytes of both bodies on the wire so far.
    var uploadedBytes: Int64 { offset(CURLINFO_SIZE_UPLOAD_T) }
    var receivedBytes: Int64 { offset(CURLINFO_SIZE_DOWNLOAD_T) }
    /// The response's `Content-Length`, or -1.
    var announcedBytes: Int64 { offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) }

    /// The cost of the exchange. libcurl's times are cumulative, in microseconds from the start: name lookup → connect → TLS →
    /// pretransfer → first byte. For a reused connection the times of connecting are 0, which does not mean fast.
    ///
    /// The kit measures first byte and total itself. For an upload, `CURLINFO_STARTTRANSFER_TIME_T` is the time when the body
    /// began to be sent. `CURLINFO_TOTAL_TIME_T` includes work that libcurl does before it handles the exchange.
    func metrics(of exchange: Exchange, at now: LoopClock.Nanoseconds) -> ExchangeMetrics {
        var metrics = ExchangeMetrics()
        metrics.queued = .nanoseconds(exchange.clock.activated - exchange.clock.submitted)
        metrics.resends = max(0, exchange.sendings.count - 1)
        metrics.total = .nanoseconds(now - exchange.clock.activated)
        // Until libcurl has handled the exchange, its figures are those of the handle's last one.
        guard exchange.hasBegun else { return metrics }
        if exchange.upload.length != 0 { metrics.bytesSent = uploadedBytes }
        metrics.bytesReceived = receivedBytes
        let connections = number(CURLINFO_NUM_CONNECTS)
        metrics.isConnectionReused = exchange.sendings.count > 0 && connections == 0
        if connections > 0 {
            let lookup = offset(CURLINFO_NAMELOOKUP_TIME_T)
            let connect = offset(CURLINFO_CONNECT_TIME_T)
            let handshake = offset(CURLINFO_APPCONNECT_TIME_T)
            if lookup > 0 { metrics.nameLookup = .microseconds(lookup) }
            if connect > 0 { metrics.connect = .microseconds(max(0, connect - lookup)) }
            if handshake > 0 { metrics.tls = .microseconds(max(0, handshake - connect)) }
        }
        if exchange.clock.responded > 0 { metrics.firstByte = .nanoseconds(exchange.clock.responded - exchange.clock.sent) }
        metrics.httpVersion = Self.name(ofHTTPVersion: number(CURLINFO_HTTP_VERSION))
        metrics.remoteAddress =
            exchange.route.connection?.remoteAddress ?? string(CURLINFO_PRIMARY_IP).flatMap { $0.isEmpty ? nil : $0 }
        let port = exchange.route.connection.map { Int($0.ports.remote) } ?? number(CURLINFO_PRIMARY_PORT)
        metrics.remotePort = port > 0 ? port : nil
        return metrics
    }

    private static func name(ofHTTPVersion version: Int) -> String? {
        switch version {
        case 1: "HTTP/1.0"  // CURL_HTTP_VERSION_1_0
        case 2: "HTTP/1.1"
        case 3: "HTTP/2"
        case 30: "HTTP/3"
        default: nil
        }
    }
}

// MARK: - Its end

extension Exchange {
    /// Discards the response so far, because the request is sent again.
    func forgetResponse() {
        handle?.head.begin(size: request.limits.responseHeadSize, lines: request.limits.headLines)
        clock.responded = 0
        body.forgetDecoder()
        bodyEnd = BodyEnd()
        http2.forgetResponse()
    }

    /// The exchange's end, after libcurl has reported it as over.
    func end(_ code: CURLcode, at now: LoopClock.Nanoseconds) -> ExchangeOutcome.End {
        if let failure { return .failed(failure) }
        // libcurl may report an orderly end for a connection that nghttp2 gave up.
        let hasFailed = code != CURLE_OK || http2.failure != nil
        // libcurl has dropped the body of a rejected expectation, unless the write callback has some of it. A redirect that ended
        // well leaves its handle to others.
        if isOver(in: code) || isExpectationRejected && bodyEnd.taken == 0 || bodyEnd.isRedirect && hasFailed {
            bodyEnd.isDecided = true
        }
        guard let handle, hasFailed, !bodyEnd.isDecided else {
            // The message is complete, but its encoded content is not.
            guard bodyEnd.isRedirect || body.decoder?.isFinished ?? true else {
                return .failed(.truncated(received: handle?.receivedBytes ?? 0, expected: nil))
            }
            return .complete
        }
        let connecting = [CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT]
        if route.hasRejectedAddress, connecting.contains(code), sendings.count == 0 {
            return .failed(.addressRejected(host: request.url.host))
        }
        // If both timeouts expire together, the total one explains more.
        if code == CURLE_OPERATION_TIMEDOUT, now >= request.deadline {
            return .failed(.timedOut(.total, after: request.request.timeout.total))
        }
        return .failed(ExchangeFailure(self, handle, code).error)
    }

    /// Fills the outcome of an exchange whose body was collected. Returns the end; that of a pin mismatch, if it is the cause.
    func fillOutcome(_ end: ExchangeOutcome.End, _ metrics: ExchangeMetrics?, isEndAnnounced: Bool?) -> ExchangeOutcome.End {
        if let handle, handle.head.isComplete { outcome.keep(handle.head) }
        outcome.metrics = metrics
        swap(&outcome.body, &body.data)
        outcome.isEndAnnounced = bodyEnd.isRedirect ? nil : isEndAnnounced
        outcome.isEndDecided = bodyEnd.isDecided
        guard let check = route.pinCheck else { return end }
        let isRejected = if case .failed(.tls) = end { true } else { false }
        outcome.pinMismatches = check.takeMismatches(isRejected: isRejected, since: clock.activated)
        guard let own = outcome.pinMismatches.last, own.isEnforced else { return end }
        return .failed(.pinMismatch(host: own.host, reason: own.reason))
    }
}

/// The loop's message to the waiting task. Its owner is that of the exchange.
final class ExchangeOutcome {
    enum End: Sendable {
        case complete, cancelled
        case failed(TransportError)
    }

    var end = End.cancelled
    /// Whether the body follows in the exchange's stream, or the connection is the task's.
    var isStreamed = false
    /// The bytes of the final head; empty if it is incomplete.
    var head: [UInt8] = []
    var framing = FramingLines()
    var interim: [[UInt8]] = []
    var trailers: [UInt8] = []
    @exclusivity(unchecked) var body = Data()
    @exclusivity(unchecked) var metrics: ExchangeMetrics?
    var pinMismatches: [PinSet.Mismatch] = []
    /// Whether the server marked the end of the body: END_STREAM on HTTP/2, or `close_notify` if the connection's end is the
    /// body's. `nil` if the length was known, or without TLS.
    var isEndAnnounced: Bool?
    /// As ``BodyEnd/isDecided``.
    var isEndDecided = false

    func keep(_ collected: borrowing HeadCollector) {
        (head, framing) = (collected.bytes, collected.framing)
        (interim, trailers) = (collected.interim, collected.trailers)
    }

    /// The received bytes of the body. libcurl may leave out the piece at which the kit stopped it.
    func bytesOfBody(announced: Int64?) -> Int64 {
        let received = metrics?.bytesReceived ?? 0
        return isEndDecided ? max(received, announced ?? 0) : received
    }

    /// What came before the head and after the body; `nil` for almost every response.
    var interimAndTrailers: InterimAndTrailers? {
        guard !interim.isEmpty || !trailers.isEmpty else { return nil }
        return InterimAndTrailers(
            informational: ResponseHeadParser.informational(interim), trailers: ResponseHeadParser.trailers(trailers))
    }
}
