internal import Foundation

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
    static let garbage = Data([0xFF, 0xFE, 0xFD, 0xFC] + Array("\u{1}garbled\u{2}".utf8))
    static let pause = Duration.milliseconds(30)

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
            if effect == .throttle, case .sendBody(let rest) = second {
                let slowly = ServerReply.Step.throttled(rest, chunkSize: max(1, rest.count / 4), interval: Self.pause)
                return all[..<index] + [first] + steps + [slowly] + all[(index + 1)...]
            }
            if effect == .throttle, case .sendChunk(let rest) = second {
                let pieces = rest.quarters.flatMap { [ServerReply.Step.sendChunk($0), .wait(Self.pause)] }
                return all[..<index] + [first] + steps + pieces + all[(index + 1)...]
            }
            return all[..<index] + [first] + steps + [second] + all[(index + 1)...]
        }
        // Without a body: right after the head.
        guard let head = all.lastIndex(where: { if case .sendHead = $0 { true } else { false } }) else { return steps + all }
        return all[...head] + steps + all[(head + 1)...]
    }
}

extension ServerReply.Step {
    /// A body step, split in two; a piece of a chunked body becomes two pieces.
    fileprivate var halves: (ServerReply.Step, ServerReply.Step)? {
        func split(_ bytes: Data) -> (Data, Data)? {
            bytes.count < 2 ? nil : (Data(bytes.prefix(bytes.count / 2)), Data(bytes.dropFirst(bytes.count / 2)))
        }
        switch self {
        case .sendBody(let bytes): return split(bytes).map { (.sendBody($0), .sendBody($1)) }
        case .sendChunk(let bytes): return split(bytes).map { (.sendChunk($0), .sendChunk($1)) }
        case .throttled(let bytes, let size, let interval):
            return split(bytes).map {
                (.throttled($0, chunkSize: size, interval: interval), .throttled($1, chunkSize: size, interval: interval))
            }
        default: return nil
        }
    }
}

extension Data {
    /// Four pieces, or fewer of one byte each.
    fileprivate var quarters: [Data] {
        let size = Swift.max(1, (count + 3) / 4)
        return stride(from: 0, to: count, by: size).map { Data(dropFirst($0).prefix(size)) }
    }
}
