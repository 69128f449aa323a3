/// What is the same for every attempt of one call.
///
/// A class, so that requests and responses share it at the price of one reference; it never changes.
public final class Call: Sendable {
    /// Stands in every log line and error text of this call.
    public let id: String
    public let channel: Channel
    public let started: ContinuousClock.Instant
    // Made when somebody asks: most calls are neither logged nor fail.
    private let describeEndpoint: @Sendable () -> String

    /// The endpoint's description.
    public var endpoint: String { describeEndpoint() }

    /// A call made by hand, for a dispatcher of the team's own.
    ///
    /// - Parameters:
    ///   - channel: what the call goes through.
    ///   - endpoint: its description, made when somebody asks for it.
    ///   - id: made up when none is given.
    public init(channel: Channel, endpoint: @escaping @autoclosure @Sendable () -> String, id: String? = nil) {
        self.channel = channel
        describeEndpoint = endpoint
        self.id = id ?? Self.makeID()
        started = .now
    }

    /// The same call, with its time begun anew.
    init(repeating call: Call) {
        id = call.id
        channel = call.channel
        describeEndpoint = call.describeEndpoint
        started = .now
    }

    /// 48 random bits are enough to tell the calls of a log apart and short enough to read.
    private static func makeID() -> String {
        let text = String(UInt64.random(in: 0..<(1 << 48)), radix: 16)
        return String(repeating: "0", count: 12 - text.utf8.count) + text
    }
}
