/// A fault at a certain moment of an exchange.
///
/// ```swift
/// let server = try LoopbackServer.start(faults: [Fault(.inResponseBody, .reset)]) { _ in .ok("hello") }
/// // the first request sees its connection reset after "he", the second is answered
/// ```
public struct Fault: Sendable, Hashable, CustomStringConvertible {
    /// The moment of the fault.
    public enum Trigger: String, Sendable, CaseIterable {
        /// As soon as the connection is ready for a request: after the handshake, or after the previous answer. Over HTTP/2 when
        /// the request's stream begins.
        case beforeRequest
        /// After half of the request's body; right after the head of a request without a body.
        case inRequestBody
        /// When the request was read, before the head of the response.
        case beforeResponse
        /// After half of the response's body; right after the head of a response without a body.
        case inResponseBody
        /// When the response is complete.
        case afterResponse
    }

    /// The effect of the fault.
    public enum Effect: String, Sendable, CaseIterable {
        /// The connection ends in the orderly way (`close_notify`, FIN).
        case close
        /// The connection is aborted (RST), 30 ms after the last bytes, so that they arrive.
        case reset
        /// No more bytes are read or sent, over HTTP/2 in this stream; the connection stays open.
        case stall
        /// The next bytes end in the middle, as if they were complete. If there are none, the connection ends.
        case truncate
        /// Extra bytes are sent. Within a body over HTTP/1.1 they look like its content.
        case garble
        /// The following bytes are slow: a pause of 30 ms, and within a body one after each quarter of the rest.
        case throttle
        /// The end of the connection is announced: GOAWAY, over HTTP/1.1 `Connection: close`. A request that was not read
        /// completely is rejected; otherwise it is still answered.
        case goAway
        /// RST_STREAM with an internal error; over HTTP/1.1, which has no streams, RST.
        case resetStream
        /// TLS's fatal alert, and the end of the connection. Before the first request of a connection it replaces the handshake.
        case handshakeFailure
    }

    /// The moment of the fault.
    public let trigger: Trigger
    /// What happens at that moment.
    public let effect: Effect

    /// Makes a fault.
    public init(_ trigger: Trigger, _ effect: Effect) {
        self.trigger = trigger
        self.effect = effect
    }

    public var description: String { "\(effect.rawValue) \(trigger.rawValue)" }
}

/// The faults of requests, in the order in which requests begin, on any connection.
public struct FaultPlan: Sendable, ExpressibleByArrayLiteral {
    private let faults: [Fault?]
    private let rest: Fault?

    /// Fault n applies to request n. `nil` means no fault for that request, and so do missing faults after the last.
    public init(arrayLiteral elements: Fault?...) {
        faults = elements
        rest = nil
    }

    private init(rest: Fault?) {
        faults = []
        self.rest = rest
    }

    /// No request has a fault.
    public static let none = FaultPlan(rest: nil)

    /// Every request has the same fault.
    public static func every(_ fault: Fault) -> FaultPlan { FaultPlan(rest: fault) }

    subscript(turn: Int) -> Fault? { turn < faults.count ? faults[turn] : rest }
}
