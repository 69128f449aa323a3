internal import CoreAPI
import Foundation

/// The output for the parts of a response: HTTP/1.1, or one HTTP/2 stream. Each method does what ``ServerReply/Step`` says, and
/// returns whether the exchange continues.
protocol ResponseOutput {
    var socket: ConnectionSocket { get }
    func sendHead(status: Int, reason: String?, headers: HeaderLines) -> Bool
    func sendHalfHead() -> Bool
    func sendBody(_ bytes: Data) -> Bool
    func sendChunk(_ bytes: Data) -> Bool
    func endChunks(trailers: HeaderLines) -> Bool
    /// Ends the message; sends bytes if the protocol needs some for that.
    func complete() -> Bool
    func truncate() -> Bool
    func goAway(rejecting rejects: Bool) -> Bool
    func resetStream(code: UInt32) -> Bool
    func resetConnection() -> Bool
    func handOver(_ serve: @escaping @Sendable (any RawConnection) async -> Void) -> Bool
    /// Called after the last step.
    func finish() -> Bool
    func hold(for duration: Duration?, until latch: Latch?) -> ConnectionSocket.HoldEnd
}

extension ResponseOutput {
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

/// A response over HTTP/1.1 (RFC 9112). HTTP/1.1 has one exchange at a time, and only the connection's end can abort it.
final class HTTP1Output: ResponseOutput {
    let socket: ConnectionSocket
    /// A reply to `HEAD` has a head only, whatever it announces about a body (RFC 9110 section 9.3.2).
    private let omitsBody: Bool
    private var closesAtEnd: Bool
    private var isGoingAway = false

    init(_ socket: ConnectionSocket, omitsBody: Bool = false, closesAtEnd: Bool = false) {
        (self.socket, self.omitsBody, self.closesAtEnd) = (socket, omitsBody, closesAtEnd)
    }

    func sendHead(status: Int, reason: String?, headers: HeaderLines) -> Bool {
        let phrase = reason ?? Self.phrases[status] ?? ""
        let lines = isGoingAway ? headers.adding("Connection", "close") : headers
        return socket.send(Data("HTTP/1.1 \(status) \(phrase)\r\n\(lines.wireText)\r\n".utf8))
    }

    func sendHalfHead() -> Bool { socket.send(Data("HTTP/1.1 200 OK\r\nContent-Le".utf8)) }
    func sendBody(_ bytes: Data) -> Bool { omitsBody || socket.send(bytes) }

    func sendChunk(_ bytes: Data) -> Bool {
        sendBody(Data("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n".utf8))
    }

    func endChunks(trailers: HeaderLines) -> Bool { sendBody(Data("0\r\n\(trailers.wireText)\r\n".utf8)) }
    /// The announced length has ended it.
    func complete() -> Bool { true }

    func truncate() -> Bool {
        socket.shutDown(sendingCloseNotify: false)
        return false
    }

    func goAway(rejecting rejects: Bool) -> Bool {
        (isGoingAway, closesAtEnd) = (true, true)
        if rejects { socket.shutDown() }
        return !rejects
    }

    func resetStream(code: UInt32) -> Bool { resetConnection() }

    func resetConnection() -> Bool {
        socket.abortOnClose()
        return false
    }

    func handOver(_ serve: @escaping @Sendable (any RawConnection) async -> Void) -> Bool {
        SocketConnection(socket).run(serve)
        return false
    }

    func finish() -> Bool {
        if closesAtEnd { socket.shutDown() }
        return !closesAtEnd
    }

    func hold(for duration: Duration?, until latch: Latch?) -> ConnectionSocket.HoldEnd {
        socket.hold(for: duration, until: latch)
    }

    /// The usual phrases of status codes (RFC 9110 section 15).
    private static let phrases: [Int: String] = [
        100: "Continue", 101: "Switching Protocols", 103: "Early Hints",
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 412: "Precondition Failed", 413: "Content Too Large",
        416: "Range Not Satisfiable", 417: "Expectation Failed", 422: "Unprocessable Content", 425: "Too Early",
        429: "Too Many Requests",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout",
    ]
}
