internal import CoreAPI
import Foundation

/// One exchange of an HTTP/2 connection: its request as it arrives, and its response as frames of one stream (RFC 9113 §8.1).
///
/// `@unchecked`: variables are touched under the connection's lock, those of the response on the stream's own thread.
final class HTTP2Stream: ResponseOutput, @unchecked Sendable {
    let id: UInt32
    let socket: ConnectionSocket
    private let connection: HTTP2Connection
    /// Opens when the client has reset the stream, or the connection is over.
    private let ended: Latch
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
    private var isComplete = false
    private var hasHead = false

    init?(_ id: UInt32, on connection: HTTP2Connection, fields: HeaderLines, exchange: Int) {
        guard let ended = try? Latch() else { return nil }
        (self.id, self.connection, socket, self.ended) = (id, connection, connection.socket, ended)
        var headers = HeaderLines(fields.filter { !$0.name.hasPrefix(":") })
        // The name in HTTP/1.1, so that one test reads both.
        if let authority = fields[":authority"] { headers = headers.adding("Host", authority) }
        request = ReceivedRequest(
            connection: connection.number, exchange: exchange, method: fields[":method"] ?? "", target: fields[":path"] ?? "",
            headers: headers, rawHead: Data(fields.wireText.utf8), version: "HTTP/2", security: socket.security)
        isHEAD = request.method == "HEAD"
        announced = headers["Content-Length"].flatMap(Int.init) ?? 1
    }

    /// Called under the connection's lock.
    func end() {
        isEnded = true
        ended.open()
    }

    func serve(_ engine: ServerEngine) {
        let fault = engine.fault()
        connection.locked { self.request.fault = fault }
        func plays(_ trigger: Fault.Trigger) -> Bool {
            guard let fault, fault.trigger == trigger else { return true }
            if fault.effect == .stall { connection.locked { isHeld = true } }
            return play(fault.steps)
        }
        guard plays(.beforeRequest), hasReceivedHalf(), plays(.inRequestBody),
            engine.settings.answersEarly || connection.wait(self, until: { isRequestComplete })
        else {
            connection.locked { self.request.error = "the stream ended before the request" }
            engine.record(connection.locked { self.request })
            return connection.finished()
        }
        let reply = engine.reply(to: connection.locked { self.request })
        _ = play(fault?.applied(to: reply) ?? reply)
        connection.finished()
    }

    /// Blocks until half of the body has arrived, or any of it if its length is unknown.
    private func hasReceivedHalf() -> Bool {
        connection.wait(self) { isRequestComplete || request.bodyLength >= max(1, announced / 2) }
    }

    private func send(_ kind: HTTP2Frame.Kind, _ flags: HTTP2Frame.Flags = [], _ payload: Data = Data()) -> Bool {
        socket.send(HTTP2Frame(kind: kind, flags: flags, stream: id, payload: payload).wire)
    }

    func sendHead(status: Int, reason: String?, headers: HeaderLines) -> Bool {
        // Fields of an HTTP/1.1 connection are forbidden here (§8.2.2).
        let kept = headers.filter { !["connection", "transfer-encoding", "keep-alive"].contains($0.name.lowercased()) }
        hasHead = hasHead || status >= 200
        return sendFields([HeaderLines.Line(name: ":status", value: String(status))] + kept)
    }

    /// - Parameter flags: those of the first frame, without that of the end of the fields.
    private func sendFields(_ lines: [HeaderLines.Line], flags: HTTP2Frame.Flags = []) -> Bool {
        var rest = HeaderDecoder.block(lines)[...]
        var frame = HTTP2Frame(kind: .headers, flags: flags, stream: id)
        var wire = Data()
        repeat {
            frame.payload = Data(rest.prefix(HTTP2Frame.largest))
            rest = rest.dropFirst(HTTP2Frame.largest)
            if rest.isEmpty { frame.flags.insert(.endHeaders) }
            wire += frame.wire
            (frame.kind, frame.flags) = (.continuation, [])
        } while !rest.isEmpty
        return socket.send(wire)
    }

    func sendHalfHead() -> Bool {
        let head = HeaderDecoder.block([HeaderLines.Line(name: ":status", value: "200")])
        let wire = HTTP2Frame(kind: .headers, flags: .endHeaders, stream: id, payload: head).wire
        return socket.send(wire.dropLast(wire.count / 3))
    }

    func sendBody(_ bytes: Data) -> Bool {
        guard !isHEAD, !isComplete else { return true }
        var rest = bytes
        while !rest.isEmpty {
            guard let count = connection.reserve(rest.count, for: self), send(.data, [], Data(rest.prefix(count))) else {
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }

    func sendChunk(_ bytes: Data) -> Bool { sendBody(bytes) }

    func endChunks(trailers: HeaderLines) -> Bool {
        guard !isHEAD, !isComplete, !trailers.isEmpty else { return true }
        isComplete = true
        return sendFields(Array(trailers), flags: .endStream)
    }

    func complete() -> Bool {
        guard !isComplete, hasHead else { return true }
        isComplete = true
        return send(.data, .endStream)
    }

    func truncate() -> Bool { complete() }
    func finish() -> Bool { complete() }
    func goAway(rejecting rejects: Bool) -> Bool { connection.goAway(rejecting: rejects ? id : nil) && !rejects }

    func resetStream(code: UInt32) -> Bool {
        isComplete = true
        _ = send(.resetStream, [], HTTP2Frame.bytes(code))
        return false
    }

    /// The client's acknowledgement of the settings would arrive after the RST, and the client would then read none of the
    /// earlier bytes.
    func resetConnection() -> Bool {
        connection.waitUntilSettled(self)
        socket.abortOnClose()
        return false
    }

    func handOver(_ serve: @escaping @Sendable (any RawConnection) async -> Void) -> Bool { resetConnection() }

    /// As for the connection; the end of the stream ends it, too.
    func hold(for duration: Duration?, until latch: Latch?) -> ConnectionSocket.HoldEnd {
        socket.hold(for: duration, until: latch, orEnd: ended)
    }
}
