internal import Foundation

/// A fault at a certain moment of an exchange.
///
/// ```swift
/// let server = try LoopbackServer.start(faults: [Fault(.inResponseBody, .reset)]) { _ in .ok("hello") }
/// // the first request sees its connection reset after "he", the second gets its response
/// ```
public struct Fault: Sendable, Hashable, CustomStringConvertible {
    /// The moment of the fault.
    public enum Trigger: String, Sendable, CaseIterable {
        /// As soon as the connection is ready for a request: after the handshake, or after the previous response. Over HTTP/2
        /// when the request's stream begins.
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
    public init(_ trigger: Trigger, _ effect: Effect) { (self.trigger, self.effect) = (trigger, effect) }

    public var description: String { "\(effect.rawValue) \(trigger.rawValue)" }
}

/// The faults of requests, in the order in which requests begin, on any connection.
public struct FaultPlan: Sendable, ExpressibleByArrayLiteral {
    private let faults: [Fault?]
    private let rest: Fault?

    /// Fault n applies to request n. `nil` means no fault for that request. Later requests have no fault.
    public init(arrayLiteral elements: Fault?...) { (faults, rest) = (elements, nil) }
    private init(rest: Fault?) { (faults, self.rest) = ([], rest) }

    /// No request has a fault.
    public static let none = FaultPlan(rest: nil)
    /// Every request has the same fault.
    public static func every(_ fault: Fault) -> FaultPlan { FaultPlan(rest: fault) }

    subscript(turn: Int) -> Fault? { turn < faults.count ? faults[turn] : rest }
}

extension Fault {
    /// The steps of the fault. If the last one continues the exchange, the rest of the reply follows.
    var steps: [ServerReply.Step] {
        let isEarly = trigger == .beforeRequest || trigger == .inRequestBody
        return switch effect {
        case .close: [.closeConnection]
        // Without a pause, the RST often destroys the bytes before it.
        case .reset where trigger == .inResponseBody || trigger == .afterResponse: [.wait(Self.pause * 5), .reset]
        case .reset: [.reset]
        case .stall: [.stall]
        case .truncate where trigger == .inResponseBody || trigger == .afterResponse: [.truncate]
        case .truncate: [.sendHalfHead, .closeConnection]
        case .garble: [.send(Self.garbage)]
        case .throttle: [.wait(Self.pause)]
        case .goAway: [.goAway(rejecting: isEarly)]
        case .resetStream: [.resetStream()]
        case .handshakeFailure: [.failHandshake]
        }
    }

    /// Neither a line of HTTP/1.1 nor a frame that HTTP/2 allows: it would be 0xFFFEFD bytes long.
    private static let garbage = Data([0xFF, 0xFE, 0xFD, 0xFC] + Array("\u{1}garbled\u{2}".utf8))
    fileprivate static let pause = Duration.milliseconds(30)

    /// The reply with the fault in it.
    func applied(to reply: ServerReply) -> ServerReply {
        switch trigger {
        case .beforeRequest, .inRequestBody: reply
        case .beforeResponse: ServerReply(steps + reply.steps)
        case .inResponseBody: ServerReply(insideBody(of: reply.steps))
        case .afterResponse: ServerReply(reply.steps + [.complete] + steps)
        }
    }

    private func insideBody(of all: [ServerReply.Step]) -> [ServerReply.Step] {
        for (index, step) in all.enumerated() {
            guard let (first, second) = step.halves else { continue }
            return all[..<index] + [first] + steps + (effect == .throttle ? second.slowed : [second]) + all[(index + 1)...]
        }
        // Without a body: right after the head.
        guard let head = all.lastIndex(where: { if case .sendHead = $0 { true } else { false } }) else { return steps + all }
        return all[...head] + steps + all[(head + 1)...]
    }
}

extension ServerReply.Step {
    /// A body step, split in two; a piece of a chunked body becomes two pieces.
    fileprivate var halves: (ServerReply.Step, ServerReply.Step)? {
        func split(_ bytes: Data, _ step: (Data) -> ServerReply.Step) -> (ServerReply.Step, ServerReply.Step)? {
            let half = bytes.count / 2
            return half == 0 ? nil : (step(Data(bytes.prefix(half))), step(Data(bytes.dropFirst(half))))
        }
        return switch self {
        case .sendBody(let bytes): split(bytes) { .sendBody($0) }
        case .sendChunk(let bytes): split(bytes) { .sendChunk($0) }
        case .throttled(let bytes, let size, let interval): split(bytes) { .throttled($0, chunkSize: size, interval: interval) }
        default: nil
        }
    }

    /// A body step in about four pieces with pauses; a chunk becomes as many.
    fileprivate var slowed: [ServerReply.Step] {
        switch self {
        case .sendBody(let bytes): return [.throttled(bytes, chunkSize: max(1, bytes.count / 4), interval: Fault.pause)]
        case .sendChunk(let bytes):
            let size = max(1, (bytes.count + 3) / 4)
            return stride(from: 0, to: bytes.count, by: size).flatMap { start in
                [.sendChunk(Data(bytes.dropFirst(start).prefix(size))), .wait(Fault.pause)]
            }
        default: return [self]
        }
    }
}
