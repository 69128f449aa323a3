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

/// How often libcurl began to send the request of an exchange, and on which connections.
struct Sendings {
    /// More than 1 if a reused connection was dead, or if the server rejected the stream.
    var count = 0
    /// The count when the loop last started the exchange.
    private var before = 0
    /// Whether libcurl chose a stale connection: ended by the peer, with unread bytes, or not new for a resend.
    var isOnStaleConnection = false
    /// Whether it needs a new connection (`CURLOPT_FRESH_CONNECT`).
    private(set) var needsFreshConnection = false
    /// Whether the request is being sent; `false` while only its connection is being opened.
    var isSent: Bool { count > before }

    /// The loop starts the exchange once more: on a new connection, if the old one was stale.
    mutating func restart() {
        needsFreshConnection = isOnStaleConnection
        isOnStaleConnection = false
        before = count
    }
}

// MARK: - Again, or over

extension Exchange {
    /// Whether the exchange may be restarted without involving the caller. It may after a stale connection. If it was sent, it
    /// may after a refused stream or, for an idempotent request, after a connection that was dropped before any response; see
    /// ``hasResend``.
    var mustRestart: Bool {
        guard !sendings.isOnStaleConnection else { return true }
        guard failure == nil, sendings.isSent, hasResend, !http2.hasAnswered, !hasHead else { return false }
        return switch http2.failure {
        case .refused: headTooLargeForHTTP2 == nil
        case .connectionGivenUp, .connectionClosed: request.isIdempotent
        default: false
        }
    }

    /// The size of the request's head, if nghttp2 did not send it, and no server has reset its stream.
    var headTooLargeForHTTP2: Int? {
        let size = request.headers.size + request.url.longest
        return http2.failure == .refused && http2.resetCode == nil && size > ExchangeFailure.headLimitOfHTTP2 ? size : nil
    }

    /// Discards the response so far, because the request is sent again.
    func forgetResponse() {
        handle?.head.begin(size: request.limits.responseHeadSize, lines: request.limits.headLines)
        clock.answered = 0
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
    var body = Data()
    var metrics: ExchangeMetrics?
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
