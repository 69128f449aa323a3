/// How long a call may take.
///
/// Attached to a channel, a provider or an endpoint; the nearest wins as a whole.
public struct Timeout: RequestModifier, Hashable {
    /// Until name resolution, TCP and TLS are done, per attempt. Default 10 s.
    public var connect: Duration
    /// Without a single byte in either direction, per attempt. Default 30 s.
    public var idle: Duration
    /// The whole call: waiting in the kit's queue, every attempt, the pauses between them and redirects. Default 300 s.
    ///
    /// A server that is dead is found out by ``connect`` and ``idle``, long before. This bound ends what goes on all the same,
    /// and because it counts the queue, it has to let a long one be worked off: 10,000 requests of 2 s to one host take 200 s.
    /// Somebody who waits in front of a screen wants less; attach it where that is so.
    public var total: Duration

    public static let allowsSeveral = false

    public init(connect: Duration = .seconds(10), idle: Duration = .seconds(30), total: Duration = .seconds(300)) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }

    /// The same bound for the whole call and everything in it.
    public init(_ total: Duration) {
        self.init(connect: min(total, .seconds(10)), idle: min(total, .seconds(30)), total: total)
    }
}
