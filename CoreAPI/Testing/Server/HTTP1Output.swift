internal import CoreAPI
import Foundation

/// A response over HTTP/1.1 (RFC 9112). HTTP/1.1 has one exchange at a time, and only the connection's end can abort it.
final class HTTP1Output: AnswerOutput {
    private let socket: ConnectionSocket
    /// A reply to `HEAD` has a head only, whatever it announces about a body (RFC 9110 section 9.3.2).
    private let omitsBody: Bool
    private var closesAtEnd: Bool

    init(_ socket: ConnectionSocket, omitsBody: Bool = false, closesAtEnd: Bool = false) {
        self.socket = socket
        self.omitsBody = omitsBody
        self.closesAtEnd = closesAtEnd
    }

    func sendHead(status: Int, reason: String?, headers: HeaderLines) -> Bool {
        let phrase = reason ?? ReasonPhrase.usual(for: status)
        let lines = isGoingAway ? headers.adding("Connection", "close") : headers
        return socket.send(Data("HTTP/1.1 \(status) \(phrase)\r\n\(lines.wireText)\r\n".utf8))
    }

    func sendHalfHead() -> Bool {
        socket.send(Data("HTTP/1.1 200 OK\r\nContent-Le".utf8))
    }

    func sendBody(_ bytes: Data) -> Bool {
        omitsBody || socket.send(bytes)
    }

    func sendChunk(_ bytes: Data) -> Bool {
        omitsBody || socket.send(Data("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n".utf8))
    }

    func endChunks(trailers: HeaderLines) -> Bool {
        omitsBody || socket.send(Data("0\r\n\(trailers.wireText)\r\n".utf8))
    }

    /// The announced length has ended it.
    func complete() -> Bool { true }

    func truncate() -> Bool {
        socket.shutDown(sendingCloseNotify: false)
        return false
    }

    private var isGoingAway = false

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
}
