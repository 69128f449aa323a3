import Foundation

/// One exchange of an HTTP/2 connection: its request as it arrives, and its response.
///
/// `@unchecked`: variables are touched under the connection's lock.
final class HTTP2Stream: @unchecked Sendable {
    let id: UInt32
    private let isHEAD: Bool
    /// The length of the body by its `Content-Length`; 1 without one, so that any byte counts as half.
    private let announced: Int
    var request: ReceivedRequest
    /// How many bytes the client allows to be sent.
    var window = 0
    var isRequestComplete = false
    /// Whether the client gets no more window for its body.
    var isHeld = false
    private(set) var isEnded = false

    private let connection: HTTP2Connection
    private let socket: ConnectionSocket
    /// Opens when the client has reset the stream, or the connection is over.
    private let ended: Latch

    init?(
        _ id: UInt32, on connection: HTTP2Connection, socket: ConnectionSocket, fields: HeaderLines, exchange: Int,
        connection number: Int
    ) {
        guard let ended = try? Latch() else { return nil }
        self.id = id
        self.connection = connection
        self.socket = socket
        self.ended = ended
        request = ReceivedRequest(connection: number, exchange: exchange, version: "HTTP/2", security: socket.security)
        request.method = fields[":method"] ?? ""
        request.target = fields[":path"] ?? ""
        request.headers = HeaderLines(fields.filter { !$0.name.hasPrefix(":") })
        request.rawHead = Data(fields.wireText.utf8)
        isHEAD = request.method == "HEAD"
        announced = request.headers["Content-Length"].flatMap(Int.init) ?? 1
        // The name in HTTP/1.1, so that one test reads both.
        if let authority = fields[":authority"] { request.headers = request.headers.adding("Host", authority) }
    }

    /// Called under the connection's lock.
    func end() {
        isEnded = true
        ended.open()
    }

    /// Reads the whole request, and answers it.
    func serve(_ engine: ServerEngine) {
        let fault = engine.fault()
        connection.locked { self.request.fault = fault }
        let output = HTTP2Output(self, connection: connection, socket: socket, isHEAD: isHEAD)
        let player = ReplyPlayer(socket: socket, output: output)
        func plays(_ trigger: Fault.Trigger) -> Bool {
            guard let fault, fault.trigger == trigger else { return true }
            if fault.effect == .stall { connection.locked { isHeld = true } }
            return player.play(fault.steps)
        }
        guard plays(.beforeRequest), hasReceivedHalf(), plays(.inRequestBody),
            engine.answersEarly || connection.wait(self, until: { isRequestComplete })
        else {
            connection.locked { self.request.defect = "the stream ended before the request" }
            engine.record(connection.locked { self.request })
            return connection.finished()
        }
        let request = connection.locked { self.request }
        let reply = engine.reply(to: request)
        _ = player.play(fault?.applied(to: reply) ?? reply)
        connection.finished()
    }

    /// Blocks until half of the body has arrived, or any of it if its length is unknown.
    private func hasReceivedHalf() -> Bool {
        connection.wait(self) { isRequestComplete || request.bodyLength >= max(1, announced / 2) }
    }

    /// As for the connection; the end of the stream ends it, too.
    func hold(for duration: Duration?, until latch: Latch?) -> ConnectionSocket.HoldEnd {
        socket.hold(for: duration, until: latch, orEnd: ended)
    }
}
