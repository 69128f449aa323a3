internal import CoreAPICore
internal import HTTPTypes

/// How an event stream connects again, and the bounds of its events.
public struct EventOptions: Sendable {
    /// The id of the last event that an earlier run received; the server continues after it. An id with control characters cannot
    /// be sent; the stream then begins anew, with a warning. Default `nil`.
    public var lastEventID: String?
    /// How many times in a row the stream connects again without receiving a line. Default 10. With 0, the end of the response is
    /// the end of the events.
    public var reconnections: Int
    /// The longest pause before the first new connection; the pause is a random part of it. Default 1 s. A server's `retry` is
    /// the minimum: the kit adds a random delay to it. The bound of that delay is at first `max(retry, min(pause, 500 ms))`, and
    /// doubles with each failure.
    public var pause: Duration
    /// The longest pause that the kit chooses. Default 30 s. A server's `retry`, up to a day, is added to it. A longer
    /// `Retry-After` of the last response is honoured, also that of a stream which has ended. If a rejected response asks for a
    /// pause as long as ``Timeout/total``, the stream ends with that response's error.
    public var longestPause: Duration
    /// How long the server may be silent. A comment ends the silence, too. Default `nil`: ``Timeout/idle`` of the nearest
    /// ``Timeout``; 60 s if the call has none.
    public var idle: Duration?
    /// The largest number of bytes of an event's data. Default 16 MiB, as for a WebSocket's message.
    public var eventSize: Int
    /// The data of an event that ends the stream, such as `[DONE]` of language models. It is neither decoded nor delivered, and
    /// the stream does not connect again. A stream that ends without it, and may not connect again, throws
    /// ``StreamError/Reason/noSentinel(_:)``. Default `nil`: any end is the end.
    public var sentinel: String?
    /// Statuses after which the stream connects again, such as 503. Default empty, as in the standard: a rejected status ends the
    /// stream. A channel's `RetryPolicy` retries first.
    public var reconnectsAfter: Set<Int>
    /// Whether to repeat a request whose method is not idempotent, such as a POST. Default `false`.
    public var repeatsUnsafeMethods: Bool

    /// Makes options; each omitted one has its default.
    public init(
        lastEventID: String? = nil, reconnections: Int = 10, pause: Duration = .seconds(1), longestPause: Duration = .seconds(30),
        idle: Duration? = nil, eventSize: Int = 16_777_216, sentinel: String? = nil, reconnectsAfter: Set<Int> = [],
        repeatsUnsafeMethods: Bool = false
    ) {
        (self.lastEventID, self.reconnections, self.sentinel) = (lastEventID, reconnections, sentinel)
        (self.pause, self.longestPause, self.idle, self.eventSize) = (pause, longestPause, idle, eventSize)
        (self.reconnectsAfter, self.repeatsUnsafeMethods) = (reconnectsAfter, repeatsUnsafeMethods)
    }

    /// A server's `retry` cannot make the pauses shorter than those from this base, or from ``pause`` if that is shorter. Firefox
    /// has the same bound.
    private static let leastBase = Duration.milliseconds(500)

    /// The pause before a new connection, after so many in a row without a line. It is a random part of `pause` · 2ⁿ⁻¹, at most
    /// ``longestPause``, so that the clients of a restarted server do not return at the same time. A server's `retry` is the
    /// least pause and also the base. The last response's `Retry-After` is the shortest pause.
    func pause(after failures: Int, _ head: ResponseHead? = nil, retry: Duration?, random: Double) -> Duration {
        // A server that asks for no pause and closes each connection would otherwise get requests without end.
        let base = retry.map { max($0, min(pause, Self.leastBase)) } ?? pause
        let own = (retry ?? .zero) + Backoff(base: base, cap: longestPause).pause(after: failures, random: random)
        return max(own, head?.retryAfter ?? .zero)
    }

    /// Whether a new connection may succeed after the error.
    func mayReconnect(after error: APIClientError) -> Bool {
        if let status = error.context.head?.status.code {
            if reconnectsAfter.contains(status) { return true }
            // A rejection ends the stream, even if its body breaks off.
            guard status == 200 else { return false }
        }
        guard case .transport(let failure, _) = error.untranslated else { return false }
        return switch failure {
        case .cannotResolveHost, .cannotConnect, .connectionLost, .truncated, .timedOut, .queueFull, .other: true
        case .proxy(_, _, let status, _): status == nil
        default: false
        }
    }
}
