internal import CoreAPICore
internal import Foundation
internal import Synchronization

/// One exchange on its way through the loop: one request, one response, no redirect.
///
/// Made by the task that sends, handed over with a message, and from then on touched on the loop's thread only, until the loop
/// has resumed the task with a ``CurlOutcome``.
///
/// What every request touches several times is not checked for exclusive access, which would be 5,000 instructions a request.
///
/// `@unchecked`: one owner at a time; the hand-over goes through the loop's mutex.
final class CurlTransfer: @unchecked Sendable {
    enum Stage {
        case new
        /// Before the loop was given it.
        case cancelled
        case queued, active, done
    }

    let request: PreparedRequest
    @exclusivity(unchecked) var stage = Stage.new
    /// Resumed once, by the loop, which takes it out first; to have that checked at run time is an allocation and 600
    /// instructions a request.
    @exclusivity(unchecked) var continuation: UnsafeContinuation<Void, Never>?
    /// Set before that.
    @exclusivity(unchecked) var outcome = CurlOutcome(end: .cancelled)
    /// As in ``CurlOutcome/isEndAnnounced``, for one that streams.
    var streamEnd: Bool?
    /// Whether it stands. The runtime orders a resumption and what follows it, but ThreadSanitizer does not see that where the
    /// answer is faster than the wait for it.
    let isOver = Atomic(false)
    /// Which loop has it, and whether its task was cancelled; under the pool's lock until the loop has it.
    var shard: PoolShard?
    var isCancelled = false
    @exclusivity(unchecked) var ticket: HostQueue<HostKey, CurlTransfer>.Ticket?
    @exclusivity(unchecked) var handle: CurlHandle?
    /// Its index among the worker's transfers.
    var index = 0

    /// When it joined the queue and when it left it.
    var submitted: LoopClock.Nanoseconds = 0
    var activated: LoopClock.Nanoseconds = 0
    /// When the request began to leave, the last time it did, and when the answer's first line came.
    var sent: LoopClock.Nanoseconds = 0
    @exclusivity(unchecked) var answered: LoopClock.Nanoseconds = 0
    /// When a byte last came or went.
    @exclusivity(unchecked) var lastActivity: LoopClock.Nanoseconds = 0
    /// In which turn of the loop libcurl was given the transfer; it looks at it in the next.
    var launchTurn: UInt = 0
    /// Bytes of the body that were on the wire when it was last looked at.
    var lastUploaded: Int64 = 0

    /// Takes the body that the task reads as it comes; `nil` for a body that is collected.
    private(set) var stream: TransferStream?
    /// Whether the task has the head and reads the body. From here on `outcome` is the task's.
    @exclusivity(unchecked) private(set) var isStreaming = false
    /// Bytes of the body that came in a turn of the loop, and in which; see ``LoopConnections/mustRest(_:after:)``.
    @exclusivity(unchecked) var burst = 0
    @exclusivity(unchecked) var burstTurn: UInt = 0
    /// Whether libcurl reads no further until the task has taken what waits for it.
    @exclusivity(unchecked) var isHeld = false
    @exclusivity(unchecked) var upload: UploadBody
    @exclusivity(unchecked) var body = Data()
    /// What takes the body's codings off; `nil` before the body's first byte, and for a body without codings.
    @exclusivity(unchecked) var decoder: ContentDecoder?
    @exclusivity(unchecked) private var hasLookedForCoding = false
    /// Bytes of the body that are still to come, where libcurl ignores its length, and whether all have come. The callback that
    /// took the last one stops the transfer.
    @exclusivity(unchecked) var remaining: Int64?
    @exclusivity(unchecked) var isBodyWhole = false
    /// The connection whose end may be the body's.
    @exclusivity(unchecked) var tlsConnection: TLSConnection?
    /// On which one the request was sent last.
    @exclusivity(unchecked) var connection: LoopConnection?
    /// What libcurl opened for it; more than one where two addresses raced.
    var openedSockets: [Int32] = []
    /// The loop's, for a host that is pinned, while the transfer is active.
    @exclusivity(unchecked) var pinCheck: PinCheck?
    /// Whether the connection that libcurl had chosen had bytes on it that answer no request.
    var foundUnreadBytes = false
    /// Whether only a connection of its own will do (`CURLOPT_FRESH_CONNECT`).
    var needsFreshConnection = false
    /// Whether an address of the host was one that the channel does not connect to.
    var hasRefusedAddress = false
    /// How often libcurl began to send the request: more than once when a reused connection turned out to be dead, or the server
    /// refused the stream.
    @exclusivity(unchecked) var timesSent = 0
    /// How often it had when the loop last started the transfer.
    var timesSentBefore = 0
    /// Why a callback stopped the transfer; says more than libcurl's code, which is then only "aborted".
    @exclusivity(unchecked) var failure: TransportError?
    /// What became of its HTTP/2 stream, where libcurl does not say, and whether any head came over it.
    var streamFailure: StreamFailure?
    /// Bytes of the answer's body that came on its HTTP/2 stream. libcurl may hold some of them.
    @exclusivity(unchecked) var bytesOnStream: Int64 = 0
    /// Bytes of the answer's body that libcurl has handed over.
    @exclusivity(unchecked) var bytesTaken: Int64 = 0
    /// Whether the server has asked for no more of the request, which libcurl does not know.
    @exclusivity(unchecked) var isStopped = false
    var hasStreamAnswered = false

    init(_ request: consuming PreparedRequest) {
        self.request = request
        upload = UploadBody(request.request.body)
        guard request.streamsBody else { return }
        stream = TransferStream(
            goOn: { [weak self] in self?.callLoop() },
            abandoned: { [weak self] in
                guard let self else { return }
                shard?.loop.postIfRunning(.cancel(self))
            })
    }

    /// Whether libcurl has looked at the transfer.
    var hasBegun: Bool { handle.map { $0.connections.turn != launchTurn } ?? false }

    /// Whether a final head came to its end.
    var hasHead: Bool { handle?.head.isComplete ?? false }

    /// Gives back what is the loop's.
    func leave() {
        stage = .done
        handle = nil
        ticket = nil
        pinCheck = nil
        tlsConnection = nil
    }

    /// Tells the loop that there is room for more of the answer, or more of the request.
    func callLoop() { shard?.loop.postIfRunning(.goOn(self)) }

    /// Hands the head over to the task, which then reads the body from ``stream``.
    func deliverHead(_ metrics: TransferMetrics) {
        guard stream != nil, !isStreaming, let handle, handle.head.isComplete else { return }
        outcome.keep(handle.head)
        outcome.metrics = metrics
        if let pinCheck { outcome.pinMismatches = pinCheck.takeMismatches(isRefused: false, since: activated) }
        outcome.end = .complete
        isStreaming = true
        wake()
    }

    /// Resumes the task that waits. From here on the transfer is the task's; of one that streams, its outcome.
    func resume(_ end: CurlOutcome.End) {
        guard !isStreaming else {
            stream?.finish(TransferStream.End(end: end, isEndAnnounced: streamEnd))
            return
        }
        outcome.end = end
        wake()
    }

    private func wake() {
        isOver.store(true, ordering: .releasing)
        let waiting = continuation
        continuation = nil
        waiting?.resume()
    }

    /// What takes the body's codings off, looked for with its first byte.
    ///
    /// - Throws: ``ContentDecoder/Failure``.
    func findDecoder() throws {
        guard !hasLookedForCoding else { return }
        hasLookedForCoding = true
        guard request.decodesContent, let handle, handle.head.mayNameCodings else { return }
        decoder = try ContentDecoder(head: handle.head.bytes)
    }

    /// Whether the transfer may be restarted without telling the caller: after a stale connection, a refused stream, or, for an
    /// idempotent request, a connection that was dropped before any answer. At most six times, as often as libcurl itself tries.
    var isToStartAgain: Bool {
        guard !foundUnreadBytes else { return true }
        guard failure == nil, isSent, timesSent < 6, !hasStreamAnswered, !hasHead else { return false }
        return switch streamFailure {
        case .refused: true
        case .connectionGivenUp: request.isIdempotent
        default: false
        }
    }

    /// Whether the request is on its way, and not just a connection for it.
    private var isSent: Bool { timesSent > timesSentBefore }

    /// Forgets what came, because the request is sent again.
    func forgetAnswer() {
        handle?.head.begin(size: request.limits.responseHeadSize, lines: request.limits.responseHeadLines)
        answered = 0
        decoder = nil
        hasLookedForCoding = false
        (remaining, isBodyWhole) = (nil, false)
        (bytesOnStream, bytesTaken, isStopped) = (0, 0, false)
    }

    /// When the whole call must be over. A body that streams takes as long as its reader does.
    private var deadline: LoopClock.Nanoseconds { isStreaming ? LoopClock.never : request.deadline }

    /// When the loop has to look at it next.
    func due(_ now: LoopClock.Nanoseconds) -> LoopClock.Nanoseconds {
        guard stage == .active else { return request.deadline }
        if isHeld { return deadline }
        if upload.isHeld { return min(deadline, pokeDue(now)) }
        let idle = request.request.timeout.idle.clampedNanoseconds
        // While it connects the idle clock stands, but it may start at any moment.
        guard isSent else { return min(deadline, now + (upload.length == 0 ? idle : max(idle / 4, 1_000_000))) }
        // libcurl takes 64 KiB from the body at once and says nothing while they leave, so a slow upload is looked at more often.
        let isUploading = upload.length != 0 && body.isEmpty && !hasHead
        return min(deadline, isUploading ? min(lastActivity + idle, now + max(idle / 4, 1_000_000)) : lastActivity + idle)
    }

    /// Whether less than a fiftieth of the queue wait is left before the deadline: the last 1.2 s of a minute. Starting the
    /// transfer would open a connection only to time out.
    func isTooLate(_ now: LoopClock.Nanoseconds) -> Bool {
        request.deadline - now <= (now - submitted) / 50
    }

    /// Which clock ran out, if one did.
    func expired(_ now: LoopClock.Nanoseconds) -> TransportError? {
        let timeout = request.request.timeout
        if now >= deadline { return .timedOut(.total, after: timeout.total) }
        guard stage == .active, isSent, let handle else { return nil }
        // The task is behind, and not the peer.
        guard !isHeld, !upload.isHeld else {
            lastActivity = now
            return nil
        }
        let uploaded = handle.uploadedBytes
        if uploaded != lastUploaded {
            lastUploaded = uploaded
            lastActivity = now
        }
        return now - lastActivity >= max(timeout.idle.clampedNanoseconds, 1_000_000) ? .timedOut(.idle, after: timeout.idle) : nil
    }
}

/// Whose connections are counted together.
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

/// What the loop tells the task that waits.
struct CurlOutcome: Sendable {
    enum End: Sendable {
        case complete
        case cancelled
        case failed(TransportError)
    }

    var end: End
    /// The bytes of the final head, empty when it did not arrive to its end.
    var head: [UInt8] = []
    var framing = FramingLines()
    var body = Data()
    var metrics: TransferMetrics?
    var pinMismatches: [PinMismatch] = []
    /// Whether the server said that its body ends here: END_STREAM on HTTP/2, `close_notify` where the connection's end is the
    /// body's. `nil` where it does not matter, because the length was known, or cannot be seen, because there was no TLS.
    var isEndAnnounced: Bool?

    mutating func keep(_ collected: borrowing HeadCollector) { (head, framing) = (collected.bytes, collected.framing) }
}
