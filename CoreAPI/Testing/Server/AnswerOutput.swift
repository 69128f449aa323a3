internal import CoreAPI
import Foundation

/// The output for the parts of a response: HTTP/1.1, or one HTTP/2 stream. Each method returns whether the exchange continues.
protocol AnswerOutput {
    var socket: ConnectionSocket { get }
    func sendHead(status: Int, reason: String?, headers: HeaderLines) -> Bool
    /// Sends a head that breaks off in the middle.
    func sendHalfHead() -> Bool
    func sendBody(_ bytes: Data) -> Bool
    func sendChunk(_ bytes: Data) -> Bool
    func endChunks(trailers: HeaderLines) -> Bool
    /// Ends the message; sends bytes if the protocol needs some for that.
    func complete() -> Bool
    /// Ends the message early, as if it were complete.
    func truncate() -> Bool
    /// Announces the end of the connection; with `rejects` this exchange stays without a response.
    func goAway(rejecting rejects: Bool) -> Bool
    func resetStream(code: UInt32) -> Bool
    /// Resets the connection (RST).
    func resetConnection() -> Bool
    /// Hands the connection over to another protocol.
    func handOver(_ serve: @escaping @Sendable (any RawConnection) async -> Void) -> Bool
    /// Called after the last step.
    func finish() -> Bool
    func hold(for duration: Duration?, until latch: Latch?) -> ConnectionSocket.HoldEnd
}

extension AnswerOutput {
    /// Plays the steps in order, and ends the message. True if the connection can be used for another exchange.
    func play(_ reply: ServerReply) -> Bool { play(reply.steps) && finish() }

    /// Plays steps that are not a whole reply.
    func play(_ steps: [ServerReply.Step]) -> Bool { steps.allSatisfy(play) }

    private func play(_ step: ServerReply.Step) -> Bool {
        switch step {
        case .send(let bytes): return socket.send(bytes)
        case .sendEndlessly(let bytes):
            while !bytes.isEmpty, socket.send(bytes) {}
            return false
        case .sendHead(let status, let reason, let headers): return sendHead(status: status, reason: reason, headers: headers)
        case .sendHalfHead: return sendHalfHead()
        case .sendBody(let bytes): return sendBody(bytes)
        case .sendChunk(let bytes): return sendChunk(bytes)
        case .endChunks(let trailers): return endChunks(trailers: trailers)
        case .throttled(let bytes, let size, let interval): return sendSlowly(bytes, chunkSize: max(1, size), interval: interval)
        case .wait(let duration): return hold(for: duration, until: nil) == .timePassed
        case .stall:
            _ = hold(for: nil, until: nil)
            return false
        case .waitFor(let gate): return hold(for: nil, until: gate.latch) == .latchOpened
        case .open(let gate):
            gate.open()
            return true
        case .complete: return complete()
        case .truncate: return truncate()
        case .goAway(let rejects): return goAway(rejecting: rejects)
        case .resetStream(let code): return resetStream(code: code)
        case .takeOver(let serve): return handOver(serve)
        case .failHandshake:
            // A fatal `handshake_failure`, not encrypted (RFC 8446 §5.1, §6.2).
            socket.sendUnencrypted(Data([21, 3, 3, 0, 2, 2, 40]))
            socket.shutDown(sendingCloseNotify: false)
            return false
        case .closeConnection:
            socket.shutDown()
            return false
        case .closeTLS: return socket.endTLS()
        case .reset: return resetConnection()
        }
    }

    private func sendSlowly(_ bytes: Data, chunkSize: Int, interval: Duration) -> Bool {
        var rest = bytes
        while true {
            guard sendBody(Data(rest.prefix(chunkSize))) else { return false }
            rest = rest.dropFirst(chunkSize)
            guard !rest.isEmpty else { return true }
            guard hold(for: interval, until: nil) == .timePassed else { return false }
        }
    }
}
