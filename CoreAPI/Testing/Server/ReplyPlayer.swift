import Foundation

/// Plays a reply's steps on one connection.
struct ReplyPlayer {
    let socket: ConnectionSocket
    /// A reply to `HEAD` has a head only, whatever it says about a body (RFC 9110 section 9.3.2).
    var omitsBody = false

    /// Plays the steps in order.
    ///
    /// - Returns: Whether the connection can be used for another exchange.
    func play(_ reply: Reply) -> Bool {
        for step in reply.steps {
            guard play(step) else { return false }
        }
        return true
    }

    private func play(_ step: Reply.Step) -> Bool {
        switch step {
        case .send(let bytes):
            return socket.send(bytes)
        case .sendHead(let status, let reason, let headers):
            let phrase = reason ?? ReasonPhrase.usual(for: status)
            return socket.send(Data("HTTP/1.1 \(status) \(phrase)\r\n\(headers.wireText)\r\n".utf8))
        case .sendBody(let bytes):
            return omitsBody || socket.send(bytes)
        case .sendChunk(let bytes):
            let chunk = Data("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n".utf8)
            return omitsBody || socket.send(chunk)
        case .endChunks(let trailers):
            return omitsBody || socket.send(Data("0\r\n\(trailers.wireText)\r\n".utf8))
        case .throttled(let bytes, let chunkSize, let interval):
            return omitsBody || sendSlowly(bytes, chunkSize: max(1, chunkSize), interval: interval)
        case .wait(let duration):
            return socket.hold(for: duration) == .timePassed
        case .stall:
            _ = socket.hold()
            return false
        case .waitFor(let gate):
            return socket.hold(until: gate.latch) == .latchOpened
        case .open(let gate):
            gate.open()
            return true
        case .closeConnection:
            socket.shutDown()
            return false
        case .reset:
            socket.abortOnClose()
            return false
        }
    }

    private func sendSlowly(_ bytes: Data, chunkSize: Int, interval: Duration) -> Bool {
        var rest = bytes
        while true {
            guard socket.send(Data(rest.prefix(chunkSize))) else { return false }
            rest = rest.dropFirst(chunkSize)
            guard !rest.isEmpty else { return true }
            guard socket.hold(for: interval) == .timePassed else { return false }
        }
    }
}
