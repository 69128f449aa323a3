/// Something that goes wrong at a certain moment of an exchange.
///
/// ```swift
/// let server = try LoopbackServer.start(faults: [Fault(.inResponseBody, .reset)]) { _ in .ok("hello") }
/// // the first request sees its connection reset after "he", the second is answered
/// ```
public struct Fault: Sendable, Hashable, CustomStringConvertible {
    /// When it happens.
    public enum Trigger: String, Sendable, CaseIterable {
        /// As soon as the connection is ready for a request: after the handshake, or after the answer before. Over HTTP/2 when
        /// the request's stream begins.
        case beforeRequest
        /// When half of the request's body has come, right after the head of a request that has none.
        case inRequestBody
        /// When the request was read, before the head of the answer.
        case beforeResponse
        /// After half of the answer's body, right after the head of an answer that has none.
        case inResponseBody
        /// When the answer is complete.
        case afterResponse
    }

    /// What happens.
    public enum Effect: String, Sendable, CaseIterable {
        /// The connection ends in the orderly way (`close_notify`, FIN).
        case close
        /// The connection is aborted (RST), 30 ms after what was sent of the answer, so that it arrives.
        case reset
        /// Nothing more is read or sent, over HTTP/2 in this stream; the connection stays.
        case stall
        /// What would be sent next ends in its middle, as if it were whole. Where that is nothing the connection ends.
        case truncate
        /// Bytes are sent that do not belong there. Within a body over HTTP/1.1 nobody can tell them from its content.
        case garble
        /// What comes next takes its time: a pause of 30 ms, and within a body one after each quarter of its rest.
        case throttle
        /// The connection's end is announced: GOAWAY, over HTTP/1.1 `Connection: close`. Until the request was read whole it is
        /// refused with that; afterwards it is still answered.
        case goAway
        /// RST_STREAM with an internal error; over HTTP/1.1, which has no streams, RST.
        case resetStream
        /// TLS's fatal alert, and the connection's end. Before the first request of a connection it takes the place of the
        /// handshake.
        case handshakeFailure
    }

    public let trigger: Trigger
    public let effect: Effect

    public init(_ trigger: Trigger, _ effect: Effect) {
        self.trigger = trigger
        self.effect = effect
    }

    public var description: String { "\(effect.rawValue) \(trigger.rawValue)" }
}

/// Which request meets which fault, in the order in which requests begin, whichever connection they come on.
public struct FaultPlan: Sendable, ExpressibleByArrayLiteral {
    private let faults: [Fault?]
    private let rest: Fault?

    /// The first request meets the first fault, and so on; `nil` spares one, as do all after the last.
    public init(arrayLiteral elements: Fault?...) {
        faults = elements
        rest = nil
    }

    private init(rest: Fault?) {
        faults = []
        self.rest = rest
    }

    /// No request meets a fault.
    public static let none = FaultPlan(rest: nil)

    /// Every request meets the same fault.
    public static func every(_ fault: Fault) -> FaultPlan { FaultPlan(rest: fault) }

    subscript(turn: Int) -> Fault? { turn < faults.count ? faults[turn] : rest }
}
