internal import CoreAPI
import Foundation

/// A response over HTTP/2: frames of one stream (RFC 9113 §8.1).
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
        // Fields of an HTTP/1.1 connection are forbidden here (§8.2.2).
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

    func handOver(_ serve: @escaping @Sendable (any RawConnection) async -> Void) -> Bool { resetConnection() }

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

    func truncate() -> Bool { complete() }

    func goAway(rejecting rejects: Bool) -> Bool {
        connection.goAway(rejecting: rejects ? stream.id : nil) && !rejects
    }

    func resetStream(code: UInt32) -> Bool {
        isComplete = true
        socket.send(HTTP2Frame(kind: .resetStream, stream: stream.id, payload: HTTP2Frame.bytes(code)).wire)
        return false
    }

    /// The client's acknowledgement of the settings would arrive after the RST, and the client would then read none of the
    /// earlier bytes.
    func resetConnection() -> Bool {
        connection.waitUntilSettled(stream)
        socket.abortOnClose()
        return false
    }

    func finish() -> Bool { complete() }

    func complete() -> Bool {
        guard !isComplete, hasHead else { return true }
        isComplete = true
        return socket.send(HTTP2Frame(kind: .data, flags: .endStream, stream: stream.id).wire)
    }

    func hold(for duration: Duration?, until latch: Latch?) -> ConnectionSocket.HoldEnd {
        stream.hold(for: duration, until: latch)
    }
}
