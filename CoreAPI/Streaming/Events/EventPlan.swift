internal import CoreAPICore

/// When an event stream connects again, and when it ends. A value without I/O and without a clock.
struct EventPlan: Sendable {
    /// The next step of an event stream.
    enum Step: Sendable {
        case connect(after: Duration)
        case read, end
    }

    /// How a connection ended, or how it could not be opened.
    struct End {
        var hadLine = false
        /// The last `retry` that the server sent on this connection.
        var retry: Duration?
        var head: ResponseHead?
        /// Whether the response asks for a pause that a call has time for.
        var mayWait = true
        var error: APIClientError?
    }

    private let options: EventOptions
    private let mayRepeat: Bool
    private(set) var step = Step.connect(after: .zero)
    private var retry: Duration?
    /// Connections in a row that delivered no line.
    private var failures = 0

    init(_ options: EventOptions, mayRepeat: Bool) {
        self.options = options
        self.mayRepeat = mayRepeat || options.repeatsUnsafeMethods
    }

    mutating func open() { step = .read }
    mutating func end() { step = .end }

    /// Decides on the end of a connection: gives the pause before a new one, or `nil` for the end of the stream.
    mutating func end(_ end: End, random: Double) -> Duration? {
        retry = end.retry ?? retry
        failures = end.hadLine ? 1 : failures + 1
        let maySucceed = end.error.map(options.mayReconnect) ?? true
        guard failures <= options.reconnections, end.mayWait, mayRepeat, maySucceed else {
            step = .end
            return nil
        }
        let pause = options.pause(after: failures, end.head, retry: retry, random: random)
        step = .connect(after: pause)
        return pause
    }
}
