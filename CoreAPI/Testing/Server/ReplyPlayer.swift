import Foundation

/// Plays a reply's steps on one exchange.
struct ReplyPlayer {
    let socket: ConnectionSocket
    let output: any AnswerOutput

    /// Plays the steps in order, and ends the message.
    ///
    /// - Returns: Whether the connection can be used for another exchange.
    func play(_ reply: ServerReply) -> Bool {
        play(reply.steps) && output.finish()
    }

    /// Plays steps that are not a whole reply.
    ///
    /// - Returns: Whether the exchange continues.
    func play(_ steps: [ServerReply.Step]) -> Bool {
        for step in steps {
            guard play(step) else { return false }
        }
        return true
    }

    private func play(_ step: ServerReply.Step) -> Bool {
        switch step {
        case .send(let bytes):
            return socket.send(bytes)
        case .sendEndlessly(let bytes):
            while !bytes.isEmpty, socket.send(bytes) {}
            return false
        case .sendHead(let status, let reason, let headers):
            return output.sendHead(status: status, reason: reason, headers: headers)
        case .sendHalfHead:
            return output.sendHalfHead()
        case .sendBody(let bytes):
            return output.sendBody(bytes)
        case .sendChunk(let bytes):
            return output.sendChunk(bytes)
        case .endChunks(let trailers):
            return output.endChunks(trailers: trailers)
        case .throttled(let bytes, let chunkSize, let interval):
            return sendSlowly(bytes, chunkSize: max(1, chunkSize), interval: interval)
        case .wait(let duration):
            return output.hold(for: duration, until: nil) == .timePassed
        case .stall:
            _ = output.hold(for: nil, until: nil)
            return false
        case .waitFor(let gate):
            return output.hold(for: nil, until: gate.latch) == .latchOpened
        case .open(let gate):
            gate.open()
            return true
        case .complete:
            return output.complete()
        case .truncate:
            return output.truncate()
        case .goAway(let rejects):
            return output.goAway(rejecting: rejects)
        case .resetStream(let code):
            return output.resetStream(code: code)
        case .takeOver(let serve):
            return output.handOver(serve)
        case .failHandshake:
            // A fatal `handshake_failure`, not encrypted (RFC 8446 §5.1, §6.2).
            socket.sendUnencrypted(Data([21, 3, 3, 0, 2, 2, 40]))
            socket.shutDown(sendingCloseNotify: false)
            return false
        case .closeConnection:
            socket.shutDown()
            return false
        case .closeTLS:
            return socket.endTLS()
        case .reset:
            return output.resetConnection()
        }
    }

    private func sendSlowly(_ bytes: Data, chunkSize: Int, interval: Duration) -> Bool {
        var rest = bytes
        while true {
            guard output.sendBody(Data(rest.prefix(chunkSize))) else { return false }
            rest = rest.dropFirst(chunkSize)
            guard !rest.isEmpty else { return true }
            guard output.hold(for: interval, until: nil) == .timePassed else { return false }
        }
    }
}
