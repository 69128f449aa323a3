internal import CoreAPICore

/// When an event stream connects again, and when it ends. A value without I/O and without a clock.
struct EventPlan: Sendable {
    /// What an event stream does next.
    enum Step: Sendable {
        case connect(after: Duration)
        /// It reads the open connection.
        case read
        case end
    }

    /// How a connection ended, or how it could not be opened.
    struct End {
        /// Whether it delivered a line.
        var hadLine = false
        /// The server's last `retry` on it.
        var retry: Duration?
        /// The head of its response.
        var head: ResponseHead?
        /// Whether the response asks for a pause that a call has time for.
        var mayWait = true
        var error: APIClientError?
    }

    private let options: EventOptions
    /// Whether the request may be sent again.
    private let mayRepeat: Bool
    private(set) var step = Step.connect(after: .zero)
    /// The server's last `retry`.
    private var retry: Duration?
    /// Connections in a row that delivered no line.
    private var failures = 0

    init(_ options: EventOptions, mayRepeat: Bool) {
        self.options = options
        self.mayRepeat = mayRepeat || options.repeatsUnsafeMethods
    }

    /// A connection is open.
    mutating func open() { step = .read }

    /// No event follows.
    mutating func end() { step = .end }

    /// Decides between a new connection and the end.
    ///
    /// - Parameter random: a number from 0 to 1.
    /// - Returns: the pause before the new connection; `nil` for the end.
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
