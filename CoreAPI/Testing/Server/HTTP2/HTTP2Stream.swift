import Foundation

/// One exchange of an HTTP/2 connection: its request as it comes in, and its answer.
final class HTTP2Stream: @unchecked Sendable {  // What changes is touched under the connection's lock.
    let id: UInt32
    var request: ReceivedRequest
    /// How much the client allows to be sent.
    var window = 0
    var isRequestWhole = false
    /// Whether the client is allowed no more of its body.
    var isHeld = false
    private(set) var isEnded = false

    private let connection: HTTP2Connection
    private let socket: ConnectionSocket
    /// Open when the client has reset the stream, or the connection is over.
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
        // What HTTP/1.1 calls it, so that one test reads both.
        if let authority = fields[":authority"] { request.headers = request.headers.adding("Host", authority) }
    }

    /// Called under the connection's lock.
    func end() {
        isEnded = true
        ended.open()
    }

    /// Reads the request to its end, and answers it.
    func serve(_ engine: ServerEngine) {
        let fault = engine.fault()
        connection.locked { self.request.fault = fault }
        let output = HTTP2Output(self, connection: connection, socket: socket, isHEAD: self.request.method == "HEAD")
        let player = ReplyPlayer(socket: socket, output: output)
        func plays(_ trigger: Fault.Trigger) -> Bool {
            guard let fault, fault.trigger == trigger else { return true }
            if fault.effect == .stall { connection.locked { isHeld = true } }
            return player.play(fault.steps)
        }
        guard plays(.beforeRequest), hasReceivedHalf(), plays(.inRequestBody),
            connection.wait(self, until: { isRequestWhole })
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

    /// Blocks until half of the body is here, as far as its length is known, or else any of it.
    private func hasReceivedHalf() -> Bool {
        let length = request.headers["Content-Length"].flatMap(Int.init) ?? 1
        return connection.wait(self) { isRequestWhole || request.body.count >= max(1, length / 2) }
    }

    /// Holds as the connection does; the end of the stream ends it too.
    func hold(for duration: Duration?, until latch: Latch?) -> ConnectionSocket.HoldEnd {
        socket.hold(for: duration, until: latch, orEnd: ended)
    }
}

/// An answer over HTTP/2: frames of one stream (RFC 9113 §8.1).
final class HTTP2Output: AnswerOutput {
    private let stream: HTTP2Stream
    private let connection: HTTP2Connection
    private let socket: ConnectionSocket
    private let isHEAD: Bool
    private var isComplete = false
    private var hasHead = false

    init(_ stream: HTTP2Stream, connection: HTTP2Connection, socket: ConnectionSocket, isHEAD: Bool) {
        self.stream = stream
        self.connection = connection
        self.socket = socket
        self.isHEAD = isHEAD
    }

    func sendHead(status: Int, reason: String?, headers: HeaderLines) -> Bool {
        // What belongs to a connection of HTTP/1.1 has no place here (§8.2.2).
        let kept = headers.filter { !["connection", "transfer-encoding", "keep-alive"].contains($0.name.lowercased()) }
        hasHead = hasHead || status >= 200
        return sendFields([HeaderLines.Line(name: ":status", value: String(status))] + kept, flags: .endHeaders)
    }

    private func sendFields(_ lines: [HeaderLines.Line], flags: HTTP2Frame.Flags) -> Bool {
        var block = HeaderDecoder.block(lines)
        var wire = Data()
        var kind = HTTP2Frame.Kind.headers
        var first = flags.subtracting(.endHeaders)
        repeat {
            let piece = Data(block.prefix(HTTP2Frame.largest))
            block = Data(block.dropFirst(piece.count))
            if block.isEmpty { first.insert(.endHeaders) }
            wire += HTTP2Frame(kind: kind, flags: first, stream: stream.id, payload: piece).wire
            kind = .continuation
            first = []
        } while !block.isEmpty
        return socket.send(wire)
    }

    func sendHalfHead() -> Bool {
        var whole = HTTP2Frame(
            kind: .headers, flags: .endHeaders, stream: stream.id,
            payload: HeaderDecoder.block([.init(name: ":status", value: "200")])
        ).wire
        whole.removeLast(whole.count / 3)
        return socket.send(whole)
    }

    func sendBody(_ bytes: Data) -> Bool {
        guard !isHEAD, !isComplete else { return true }
        var rest = bytes
        while !rest.isEmpty {
            guard let count = connection.reserve(rest.count, for: stream) else { return false }
            let frame = HTTP2Frame(kind: .data, stream: stream.id, payload: Data(rest.prefix(count)))
            guard socket.send(frame.wire) else { return false }
            rest = Data(rest.dropFirst(count))
        }
        return true
    }

    func sendChunk(_ bytes: Data) -> Bool { sendBody(bytes) }

    func endChunks(trailers: HeaderLines) -> Bool {
        guard !isHEAD, !isComplete, !trailers.isEmpty else { return true }
        isComplete = true
        return sendFields(Array(trailers), flags: .endStream)
    }

    func truncate() -> Bool { finish() }

    func goAway(refusing refuses: Bool) -> Bool {
        connection.goAway(refusing: refuses ? stream.id : nil) && !refuses
    }

    func resetStream(code: UInt32) -> Bool {
        isComplete = true
        socket.send(HTTP2Frame(kind: .resetStream, stream: stream.id, payload: HTTP2Frame.bytes(code)).wire)
        return false
    }

    func finish() -> Bool {
        guard !isComplete, hasHead else { return true }
        isComplete = true
        return socket.send(HTTP2Frame(kind: .data, flags: .endStream, stream: stream.id).wire)
    }

    func hold(for duration: Duration?, until latch: Latch?) -> ConnectionSocket.HoldEnd {
        stream.hold(for: duration, until: latch)
    }
}
