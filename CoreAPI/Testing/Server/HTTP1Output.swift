internal import CoreAPI
import Foundation

/// A response over HTTP/1.1 (RFC 9112). HTTP/1.1 has one exchange at a time, and only the connection's end can abort it.
final class HTTP1Output: AnswerOutput {
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
        isGoingAway = true
        closesAtEnd = true
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
