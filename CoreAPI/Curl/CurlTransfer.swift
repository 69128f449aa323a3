internal import CCurl
internal import CoreAPICore
internal import Foundation
internal import Synchronization

/// One exchange on its way through the loop: one request, one response, no redirect.
///
/// The sending task makes it and hands it over with a message. From then on only the loop's thread touches it, until the loop has
/// resumed the task with a ``CurlOutcome``.
///
/// Properties that every request touches several times skip exclusivity checks, which would cost 5,000 instructions a request.
///
/// `@unchecked`: one owner at a time; the loop's mutex orders the hand-over.
final class CurlTransfer: @unchecked Sendable {
    enum Stage {
        case new
        /// Before the loop got it.
        case cancelled
        case queued, active, done
    }

    let request: PreparedRequest
    @exclusivity(unchecked) var stage = Stage.new
    /// Resumed once, by the loop, which removes it first. A run-time check of that would cost an allocation and 600 instructions
    /// a request.
    @exclusivity(unchecked) var continuation: UnsafeContinuation<Void, Never>?
    /// Set before the continuation is resumed. An object that is made at first access: its 353 bytes would be a third of a held
    /// transfer's 1,060.
    var outcome: CurlOutcome {
        if let madeOutcome { return madeOutcome }
        let outcome = CurlOutcome()
        madeOutcome = outcome
        return outcome
    }
    @exclusivity(unchecked) private var madeOutcome: CurlOutcome?
    /// As in ``CurlOutcome/isEndAnnounced``, for a streamed body.
    var streamEnd: Bool?
    /// The trailers of a streamed body, and the time until its end.
    var streamTrailers: [UInt8] = []
    var streamTotal: Duration?
    /// Whether the outcome is set. The runtime orders a resumption before the code after it. ThreadSanitizer does not see that if
    /// the answer arrives before the task waits.
    let isOver = Atomic(false)
    /// Which loop has it. The pool's lock guards this until the loop has it.
    var shard: PoolShard?
    /// Whether its task was cancelled. A loop without a thread cannot be told, and asks when it begins.
    let isCancelled = Atomic(false)
    @exclusivity(unchecked) var ticket: HostQueue<HostKey, CurlTransfer>.Ticket?
    @exclusivity(unchecked) var handle: CurlHandle?
    /// Its index among the worker's transfers.
    var index = 0

    /// When it joined the queue and when it left it.
    var submitted: LoopClock.Nanoseconds = 0
    var activated: LoopClock.Nanoseconds = 0
    /// When sending of the request last began, and when the answer's first line arrived.
    var sent: LoopClock.Nanoseconds = 0
    @exclusivity(unchecked) var answered: LoopClock.Nanoseconds = 0
    /// When a byte was last received or sent.
    @exclusivity(unchecked) var lastActivity: LoopClock.Nanoseconds = 0
    /// The turn of the loop in which libcurl got the transfer; libcurl handles it in the next, or later in the same.
    var launchTurn: UInt = 0
    /// Bytes of the request's body that have been sent.
    var lastUploaded: Int64 = 0

    /// The buffer of a streamed body; `nil` for a body that is collected.
    private(set) var stream: CurlBodyStream?
    /// Whether the task has the head and reads the body. From here on the task owns `outcome`.
    @exclusivity(unchecked) private(set) var isStreaming = false
    /// Bytes of the body received in one turn of the loop, and the turn; see ``LoopConnections/mustPauseForTurn(_:after:)``.
    @exclusivity(unchecked) var burst = 0
    @exclusivity(unchecked) var burstTurn: UInt = 0
    /// Whether libcurl is paused until the task has taken the waiting bytes.
    @exclusivity(unchecked) var isHeld = false
    /// The bytes for a raw connection; `nil` for an exchange.
    private(set) var toSend: ChunkBuffer?
    /// The raw connection, once it is open.
    @exclusivity(unchecked) var raw: RawSocket?
    @exclusivity(unchecked) var upload: UploadBody
    @exclusivity(unchecked) var body = Data()
    /// Decodes the body's codings; `nil` before the body's first byte, and for a body without codings.
    @exclusivity(unchecked) var decoder: ContentDecoder?
    @exclusivity(unchecked) private var hasLookedForCoding = false
    /// Bytes of the body still expected, if libcurl ignores its length, and whether all were received. The callback that took the
    /// last one stops the transfer.
    @exclusivity(unchecked) var remaining: Int64?
    @exclusivity(unchecked) var isBodyWhole = false
    /// When a redirect's collected body is given up, if the call follows it: its body is not needed.
    @exclusivity(unchecked) var redirectDue = LoopClock.never
    var leadsElsewhere: Bool { redirectDue != LoopClock.never }
    /// The connection whose end may be the end of the body.
    @exclusivity(unchecked) var tlsConnection: TLSConnection?
    /// The connection on which the request was last sent.
    @exclusivity(unchecked) var connection: LoopConnection?
    /// The sockets that libcurl opened for it; several if two addresses raced.
    var openedSockets: [Int32] = []
    /// The loop's pin check, if the host has pins and the transfer is active.
    @exclusivity(unchecked) var pinCheck: PinCheck?
    /// Whether libcurl chose a stale connection: ended by the peer, with bytes that answer no request, or not new for a resend.
    var isOnStaleConnection = false
    /// Whether it needs a new connection (`CURLOPT_FRESH_CONNECT`).
    var needsFreshConnection = false
    /// Whether the channel refuses one of the host's addresses.
    var hasRefusedAddress = false
    /// The system's text if it refused a socket because process or system have too many descriptors; libcurl's does not tell.
    var socketRefusal: String?
    /// How often libcurl began to send the request. More than once if a reused connection was dead, or if the server refused the
    /// stream.
    @exclusivity(unchecked) var timesSent = 0
    /// The value of `timesSent` when the loop last started the transfer.
    var timesSentBefore = 0
    /// Why a callback stopped the transfer. More specific than libcurl's code, which is only "aborted".
    @exclusivity(unchecked) var failure: TransportError?
    /// Why its HTTP/2 stream failed, if libcurl does not say.
    var streamFailure: StreamFailure?
    /// The code with which the server reset its HTTP/2 stream.
    var resetCode: UInt32?
    /// Bytes of the answer's body that arrived on its HTTP/2 stream. libcurl may hold some of them.
    @exclusivity(unchecked) var bytesOnStream: Int64 = 0
    /// Bytes of the answer's body that libcurl has handed over.
    @exclusivity(unchecked) var bytesTaken: Int64 = 0
    /// Whether the server has asked for no more of the request; libcurl does not know that.
    @exclusivity(unchecked) var isStopped = false
    /// Whether its reader is to be woken when the turn ends.
    @exclusivity(unchecked) var hasChunks = false
    /// Whether its answer's head says that the connection multiplexes.
    @exclusivity(unchecked) var isMultiplexed = false
    /// Whether any head arrived on its HTTP/2 stream.
    var hasStreamAnswered = false
    /// Whether the server has ended its HTTP/2 stream; noted for requests with a body.
    var hasStreamEnded = false

    init(_ request: PreparedRequest) {
        self.request = request
        upload = UploadBody(request.request.body)
        guard request.streamsBody else { return }
        if request.connectsOnly { toSend = ChunkBuffer(limit: RawSocket.room) { [weak self] in self?.callLoop() } }
        stream = CurlBodyStream(
            goOn: { [weak self] in self?.callLoop() },
            abandoned: { [weak self] in self?.endExchange() })
    }

    /// Tells the loop that the task needs no more of the exchange.
    func endExchange() { shard?.loop.postIfRunning(.cancel(self)) }

    /// Whether libcurl has handled the transfer: in a later turn, or in the turn of its launch if a message began that turn.
    var hasBegun: Bool { isSent || handle.map { $0.connections.turn != launchTurn } ?? false }

    /// Whether a final head is complete.
    var hasHead: Bool { handle?.head.isComplete ?? false }

    /// Gives the loop's resources back.
    func leave() {
        stage = .done
        // A list of the loop may keep the transfer until the pool's next turn; its sequence must not wait that long.
        upload.close()
        handle = nil
        raw = nil
        toSend?.abandon()
        ticket = nil
        pinCheck = nil
        tlsConnection = nil
    }

    /// Tells the loop that there is room for more of the answer, or that there is more of the request.
    func callLoop() { shard?.loop.postIfRunning(.goOn(self)) }

    /// Hands the head over to the task, which then reads the body from ``stream``.
    func deliverHead(_ metrics: TransferMetrics) {
        guard stream != nil, !isStreaming, let handle, handle.head.isComplete else { return }
        outcome.keep(handle.head)
        // Those of a short body may be here already; its reader gets them at its end.
        outcome.trailers = []
        deliver(metrics)
    }

    /// Hands an open connection over to the task.
    func deliver(_ connection: RawSocket, _ metrics: TransferMetrics) {
        raw = connection
        tlsConnection = self.connection?.tls
        deliver(metrics)
    }

    private func deliver(_ metrics: TransferMetrics) {
        outcome.metrics = metrics
        // Some of the body may be here already; how much depends on the turn of the loop.
        outcome.metrics?.bytesReceived = nil
        if let pinCheck { outcome.pinMismatches = pinCheck.takeMismatches(isRefused: false, since: activated) }
        outcome.end = .complete
        isStreaming = true
        wake()
    }

    /// Resumes the waiting task. From here on the task owns the transfer; of a streamed one, its outcome.
    func resume(_ end: CurlOutcome.End) {
        guard !isStreaming else { return endStream(end) }
        outcome.end = end
        wake()
    }

    /// Tells the reader of a stream that no more bytes follow.
    func endStream(_ end: CurlOutcome.End) {
        stream?.finish(CurlBodyStream.End(end: end, isEndAnnounced: streamEnd, trailers: streamTrailers, total: streamTotal))
    }

    private func wake() {
        isOver.store(true, ordering: .releasing)
        let waiting = continuation
        continuation = nil
        waiting?.resume()
    }

    /// The decoder of the body's codings, made at its first byte.
    ///
    /// - Throws: ``ContentDecoder/Failure``.
    func findDecoder() throws {
        guard !hasLookedForCoding else { return }
        hasLookedForCoding = true
        guard request.decodesContent, let handle, handle.head.mayNameCodings else { return }
        decoder = try ContentDecoder(head: handle.head.bytes)
    }

    /// Whether the transfer may be restarted without involving the caller. It may after a stale connection. If it was sent, it
    /// may after a refused stream or, for an idempotent request, after a connection that was dropped before any answer; see
    /// ``hasResend``.
    var isToStartAgain: Bool {
        guard !isOnStaleConnection else { return true }
        guard failure == nil, isSent, hasResend, !hasStreamAnswered, !hasHead else { return false }
        return switch streamFailure {
        case .refused: headTooLargeForHTTP2 == nil
        case .connectionGivenUp, .connectionClosed: request.isIdempotent
        default: false
        }
    }

    /// The size of the request's head, if nghttp2 has refused to send it, and no server has reset its stream.
    private var headTooLargeForHTTP2: Int? {
        let size = request.headers.size + request.url.longest
        return streamFailure == .refused && resetCode == nil && size > CurlFailure.headLimitOfHTTP2 ? size : nil
    }

    /// Whether the request is being sent; `false` while only its connection is being opened.
    var isSent: Bool { timesSent > timesSentBefore }

    /// Discards the answer so far, because the request is sent again.
    func forgetAnswer() {
        handle?.head.begin(size: request.limits.responseHeadSize, lines: request.limits.headLines)
        answered = 0
        decoder = nil
        hasLookedForCoding = false
        (remaining, isBodyWhole, redirectDue) = (nil, false, LoopClock.never)
        (bytesOnStream, bytesTaken, isStopped, hasStreamEnded) = (0, 0, false, false)
    }

    /// When the whole call must be over. A streamed body has no deadline, because its reader sets the pace.
    private var deadline: LoopClock.Nanoseconds { isStreaming ? LoopClock.never : min(request.deadline, redirectDue) }

    /// When the loop must check the transfer next.
    func due(_ now: LoopClock.Nanoseconds) -> LoopClock.Nanoseconds {
        guard stage == .active else { return request.deadline }
        if isHeld || raw != nil { return deadline }
        let idle = request.request.timeout.idle.clampedNanoseconds
        if upload.isHeld { return min(deadline, uploadResumeDue(now), isStreaming ? lastActivity + idle : LoopClock.never) }
        // The idle clock is stopped while it connects, but may start at any moment.
        return min(deadline, (isSent ? lastActivity : now) + idle)
    }

    /// Whether less than a fiftieth of the queue wait is left before the deadline: the last 1.2 s of a minute. Starting the
    /// transfer would open a connection only to time out.
    func isTooLate(_ now: LoopClock.Nanoseconds) -> Bool {
        request.deadline - now <= (now - submitted) / 50
    }

    /// The timeout that has expired, if any.
    func expired(_ now: LoopClock.Nanoseconds) -> TransportError? {
        let timeout = request.request.timeout
        if now >= deadline { return .timedOut(.total, after: timeout.total) }
        // A raw connection may be silent for hours; its protocol has clocks of its own.
        guard stage == .active, isSent, raw == nil else { return nil }
        // The task is slow, not the peer. Once the task waits for the answer's body, the peer's silence counts again.
        guard !isHeld, !upload.isHeld || isStreaming else {
            lastActivity = now
            return nil
        }
        return now - lastActivity >= max(timeout.idle.clampedNanoseconds, 1_000_000) ? .timedOut(.idle, after: timeout.idle) : nil
    }
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

/// The loop's message to the waiting task. Its owner is that of the transfer.
final class CurlOutcome {
    enum End: Sendable {
        case complete
        case cancelled
        case failed(TransportError)
    }

    var end = End.cancelled
    /// The bytes of the final head; empty if it is incomplete.
    var head: [UInt8] = []
    var framing = FramingLines()
    var interim: [[UInt8]] = []
    var trailers: [UInt8] = []
    var body = Data()
    var metrics: TransferMetrics?
    var pinMismatches: [PinMismatch] = []
    /// Whether the server marked the end of the body: END_STREAM on HTTP/2, or `close_notify` if the connection's end is the
    /// body's. `nil` if the length was known, or if there was no TLS to tell.
    var isEndAnnounced: Bool?

    func keep(_ collected: borrowing HeadCollector) {
        (head, framing) = (collected.bytes, collected.framing)
        (interim, trailers) = (collected.interim, collected.trailers)
    }

    /// What came before the head and after the body; `nil` for almost every answer.
    var surroundings: Surroundings? {
        guard !interim.isEmpty || !trailers.isEmpty else { return nil }
        return Surroundings(
            informational: ResponseHeadParser.informational(interim), trailers: ResponseHeadParser.trailers(trailers))
    }
}

extension CurlTransfer {
    /// The transfer's end, after libcurl has reported it as over.
    func end(_ code: CURLcode, at now: LoopClock.Nanoseconds) -> CurlOutcome.End {
        if let failure { return .failed(failure) }
        // libcurl may report an orderly end for a connection that nghttp2 gave up.
        // The body of a refused expectation has been dropped by libcurl, unless the write callback has some of it.
        if isOver(in: code) || isExpectationRefused && bytesTaken == 0 { isBodyWhole = true }
        // A redirect that ended well leaves its handle to others.
        if leadsElsewhere, code != CURLE_OK || streamFailure != nil { isBodyWhole = true }
        guard let handle, !isBodyWhole, code != CURLE_OK || streamFailure != nil else {
            // The message is complete, but its encoded content is not.
            guard leadsElsewhere || decoder?.isFinished ?? true else {
                return .failed(.truncated(received: handle?.receivedBytes ?? 0, expected: nil))
            }
            return .complete
        }
        let host = request.url.host
        if hasRefusedAddress, [CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT].contains(code), timesSent == 0 {
            return .failed(.addressRefused(host: host))
        }
        let timeout = request.request.timeout
        // If both timeouts expire together, the total one explains more.
        if code == CURLE_OPERATION_TIMEDOUT, now >= request.deadline {
            return .failed(.timedOut(.total, after: timeout.total))
        }
        return .failed(
            CurlFailure.error(
                for: code,
                .init(
                    host: host, timeout: timeout, proxy: request.proxy, connectStatus: handle.number(CURLINFO_HTTP_CONNECTCODE),
                    message: code == CURLE_COULDNT_CONNECT
                        ? socketRefusal ?? handle.message(for: code) : handle.message(for: code),
                    mayBeSentAgain: mayBeSentAgain,
                    streamFailure: streamFailure, headTooLargeForHTTP2: headTooLargeForHTTP2,
                    resetCode: hasStreamAnswered ? resetCode : nil, wasSent: timesSent > 0,
                    hasHead: hasHead,
                    isFirstOnConnection: handle.number(CURLINFO_NUM_CONNECTS) > 0, headLimit: request.limits.responseHeadSize,
                    received: Int64(body.count), announced: handle.announcedBytes,
                    isCodeVague: handle.library.has(.vagueError))))
    }
}
