/// How long a call may take.
///
/// Attached to a channel, a provider, an endpoint or a call; the nearest wins as a whole.
public struct Timeout: RequestModifier, Hashable {
    /// Until name resolution, TCP and TLS are done, per attempt. Default 10 s.
    public var connect: Duration
    /// The longest time without progress in either direction, per attempt: a byte of a body, or a whole line of a head. A server
    /// that sends a line byte by byte is idle. Default 30 s.
    public var idle: Duration
    /// The whole call: waiting in the kit's queue, every attempt, the pauses between them and redirects. Default 300 s.
    ///
    /// ``connect`` and ``idle`` detect a dead server much earlier. This timeout ends calls that still make progress. It includes
    /// the time in the queue: 10,000 requests of 2 s to one host take 200 s. Attach a shorter timeout for interactive requests.
    public var total: Duration

    public static let allowsSeveral = false

    /// Makes a timeout; each part that is left out has its default.
    public init(connect: Duration = .seconds(10), idle: Duration = .seconds(30), total: Duration = .seconds(300)) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }

    /// The same timeout for the whole call and everything in it.
    public init(_ total: Duration) {
        self.init(connect: min(total, .seconds(10)), idle: min(total, .seconds(30)), total: total)
    }
}

/// Replaces ``Timeout/idle`` alone.
package struct IdleLimit: RequestModifier {
    package static let allowsSeveral = false
    package let duration: Duration
    /// Whether a ``Timeout`` of any level comes first.
    package let yieldsToTimeout: Bool

    package init(_ duration: Duration, yieldsToTimeout: Bool = false) {
        self.duration = duration
        self.yieldsToTimeout = yieldsToTimeout
    }
}
