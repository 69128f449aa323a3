public import CoreAPI
public import CoreAPIWebSocket
public import Foundation

/// A ``LoopbackServer``'s reply to a request: steps, played in order on its connection.
///
/// Ready-made replies (``ok(_:headers:)-(String,_)``, ``truncated(declared:sent:)`` …) suffice for most tests; any other
/// behaviour is a list:
///
/// ```swift
/// let reply: ServerReply = [.sendHead(status: 200, headers: ["Content-Length": "4"]), .sendBody(Data("ab".utf8)), .reset]
/// ```
public struct ServerReply: Sendable, ExpressibleByArrayLiteral {
    /// The steps, first to last.
    public var steps: [Step]

    /// Makes a reply of these steps.
    public init(_ steps: [Step]) { self.steps = steps }
    /// Makes a reply of these steps.
    public init(arrayLiteral elements: Step...) { steps = elements }

    /// This reply after other steps: `.ok().after(.wait(.milliseconds(50)))`.
    public func after(_ steps: Step...) -> ServerReply { ServerReply(steps + self.steps) }
    /// This reply and then other steps: `.ok().followed(by: .closeConnection)`.
    public func followed(by steps: Step...) -> ServerReply { ServerReply(self.steps + steps) }

    /// One step on a connection.
    ///
    /// Any wait (``wait(_:)``, ``stall``, ``waitFor(_:)``, the pauses of ``throttled(_:chunkSize:interval:)``) is cut short when
    /// the server closes or the peer leaves. The connection is then closed and the remaining steps are dropped. A peer that shuts
    /// down only its sending half counts as gone. Steps that send parts of a body send nothing if the request was a `HEAD`.
    public enum Step: Sendable {
        /// Sends bytes unchanged, even as the response to a `HEAD`; over HTTP/2 outside of frames.
        case send(Data)
        /// A flood: sends the same bytes, unchanged, until the peer leaves or the server closes. Over HTTP/2 it sends them
        /// outside of frames, also after the client has reset the stream.
        case sendEndlessly(Data)
        /// Sends a status line, the given header lines only, and the empty line. Without a reason the usual phrase is sent; an
        /// empty one sends none.
        case sendHead(status: Int, reason: String? = nil, headers: HeaderLines = [:])
        /// Sends bytes of a body.
        case sendBody(Data)
        /// Sends one chunk of a chunked body.
        case sendChunk(Data)
        /// Ends a chunked body.
        case endChunks(trailers: HeaderLines = [:])
        /// Sends bytes of a body in pieces of `chunkSize` bytes with a pause of `interval` after each but the last.
        case throttled(Data, chunkSize: Int, interval: Duration)
        /// Pauses.
        case wait(Duration)
        /// Holds the connection, silently, until the server closes or the peer leaves.
        case stall
        /// Holds the connection until a test opens the gate.
        case waitFor(Gate)
        /// Opens a gate, so that a test knows that the reply has reached this step.
        case open(Gate)
        /// Sends a head that breaks off in the middle; over HTTP/2 half of a frame.
        case sendHalfHead
        /// Ends the message, as the end of the steps does. Over HTTP/2 it ends the stream; over HTTP/1.1 the length has ended it
        /// already. Later steps happen after the response.
        case complete
        /// Ends the message here, as if it were complete: over HTTP/1.1 by the connection's end, without TLS's `close_notify`,
        /// over HTTP/2 by the stream's end.
        case truncate
        /// Announces the end of the connection: GOAWAY over HTTP/2 (RFC 9113 §6.8), `Connection: close` in a later head over
        /// HTTP/1.1. The connection is closed after this exchange. If the exchange is rejected, it was not processed, and the
        /// connection is closed at once.
        case goAway(rejecting: Bool = false)
        /// Ends this exchange's stream only, with a code of RFC 9113 §7. 2 is an internal error, 7 a request that was not
        /// processed and may be repeated, 8 a cancellation. HTTP/1.1 has no streams, so the connection is reset.
        case resetStream(code: UInt32 = 2)
        /// Hands the connection over to another protocol, after a head with status 101, and closes it when the function returns.
        /// Over HTTP/2 the connection is reset instead.
        case takeOver(@Sendable (any RawConnection) async -> Void)
        /// Sends TLS's fatal alert `handshake_failure` in clear text and closes the connection.
        case failHandshake
        /// Closes the connection in the orderly way (FIN, after TLS's `close_notify`).
        case closeConnection
        /// Sends TLS's `close_notify` and keeps the connection open, as a server does that waits for the peer's. In clear text it
        /// does nothing.
        case closeTLS
        /// Aborts the connection (RST). The peer may still read bytes already sent. Over HTTP/2 it waits for the client's
        /// acknowledgement of the settings, which would otherwise arrive after the reset.
        case reset
    }
}

/// Replies of a server that behaves.
extension ServerReply {
    /// 200 with a text as its body, `text/plain` unless the headers say otherwise.
    public static func ok(_ text: String = "", headers: HeaderLines = [:]) -> ServerReply {
        self.text(200, text, headers: headers)
    }

    /// 200 with bytes as its body.
    public static func ok(_ body: Data, headers: HeaderLines = [:]) -> ServerReply { status(200, body: body, headers: headers) }

    /// 200, or another status, with a JSON text as its body. The text is sent unchanged.
    public static func json(_ text: String, status: Int = 200, headers: HeaderLines = [:]) -> ServerReply {
        self.status(status, body: Data(text.utf8), headers: headers.adding("Content-Type", "application/json"))
    }

    /// Any status with a body. `Content-Length` is added unless it is given or the status has no body (1xx, 204, 304).
    public static func status(_ status: Int, body: Data = Data(), headers: HeaderLines = [:]) -> ServerReply {
        if (100..<200).contains(status) || [204, 304].contains(status) { return [.sendHead(status: status, headers: headers)] }
        return [.sendHead(status: status, headers: headers.adding("Content-Length", String(body.count))), .sendBody(body)]
    }

    /// A redirect, 302 by default, with an empty body. The location may be absolute or relative.
    public static func redirect(to location: String, status: Int = 302, headers: HeaderLines = [:]) -> ServerReply {
        self.status(status, headers: headers.adding("Location", location))
    }

    /// 200 with a chunked body, one chunk for each text.
    public static func chunked(_ pieces: [String], headers: HeaderLines = [:]) -> ServerReply {
        ServerReply(chunkedSteps(pieces, headers: headers) + [.endChunks()])
    }

    private static func chunkedSteps(_ pieces: [String], headers: HeaderLines = [:]) -> [Step] {
        let head = Step.sendHead(status: 200, headers: headers.adding("Transfer-Encoding", "chunked"))
        return [head] + pieces.map { .sendChunk(Data($0.utf8)) }
    }

    static func scriptRanOut(after count: Int, at request: ReceivedRequest) -> ServerReply {
        text(500, "the script has \(count) replies and ran out of them at \(request.method) \(request.target)")
    }

    static func badRequest(_ reason: String) -> ServerReply {
        text(400, reason, headers: ["Connection": "close"]).followed(by: .closeConnection)
    }

    private static func text(_ status: Int, _ text: String, headers: HeaderLines = [:]) -> ServerReply {
        self.status(status, body: Data(text.utf8), headers: headers.adding("Content-Type", "text/plain; charset=utf-8"))
    }
}

/// Replies of a server that misbehaves.
extension ServerReply {
    /// Closes the connection (FIN) without a byte of a response.
    public static var closeWithoutReply: ServerReply { [.closeConnection] }
    /// Aborts the connection (RST) without a byte of a response.
    public static var resetBeforeHead: ServerReply { [.reset] }
    /// Never answers, and holds the connection.
    public static var stallBeforeHead: ServerReply { [.stall] }

    /// Announces one byte more than it sends, and then holds the connection.
    public static func stallInBody(sent body: Data) -> ServerReply { partial(body, of: body.count + 1, then: .stall) }
    /// Aborts the connection (RST) in the middle of a body of which it announces one byte more than it sends.
    public static func resetInBody(sent body: Data) -> ServerReply { partial(body, of: body.count + 1, then: .reset) }

    /// Announces `declared` bytes, sends another number, and closes in the orderly way. Fewer bytes are a truncated body, more
    /// are garbage after it.
    public static func truncated(declared: Int, sent body: Data) -> ServerReply {
        partial(body, of: declared, then: .closeConnection)
    }

    private static func partial(_ body: Data, of declared: Int, then end: Step) -> ServerReply {
        [.sendHead(status: 200, headers: ["Content-Length": String(declared)]), .sendBody(body), end]
    }

    /// Sends a chunked body, one chunk for each text, and closes without the last, empty chunk.
    public static func chunkedWithoutEnd(_ pieces: [String]) -> ServerReply {
        ServerReply(chunkedSteps(pieces) + [.closeConnection])
    }

    /// Sends any bytes, HTTP or not, and closes.
    public static func garbage(_ bytes: Data) -> ServerReply { [.send(bytes), .closeConnection] }

    /// Sends a small gzip body that decodes to `decodedBytes` zero bytes, about a thousand times its size. The server never holds
    /// the decoded bytes in memory.
    public static func gzipBomb(decodedBytes: Int) -> ServerReply {
        let headers: HeaderLines = ["Content-Type": "application/octet-stream", "Content-Encoding": "gzip"]
        return status(200, body: GzipOfZeros.make(decodedBytes: decodedBytes), headers: headers)
    }
}

extension ServerReply {
    /// Accepts a WebSocket; answers 426 to a request without a handshake.
    ///
    /// ```swift
    /// let server = try LoopbackServer.start { request in
    ///     .webSocket(request) { socket in
    ///         for try await message in socket { try await socket.send(message) }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: the client's handshake.
    ///   - options: the server's subprotocols, limits and clocks.
    ///   - serve: serves the socket. The server closes the socket when the function returns; with 1011 if it throws.
    public static func webSocket(
        _ request: ReceivedRequest, _ options: WebSocket.Options = WebSocket.Options(),
        serve: @escaping @Sendable (WebSocket) async throws -> Void
    ) -> ServerReply {
        guard let acceptance = Acceptance(options, values: { request.headers.all($0) }) else {
            return .status(426, headers: ["Upgrade": "websocket", "Connection": "Upgrade"])
        }
        let head = HeaderLines(acceptance.fields.map { HeaderLines.Line(name: $0.name, value: $0.value) })
        return [
            .sendHead(status: 101, headers: head),
            .takeOver { connection in
                let socket = acceptance.open(connection, context: APIClientError.Context(ofServer))
                do {
                    try await serve(socket)
                    await socket.close()
                } catch {
                    await socket.close(code: .internalError)
                }
            },
        ]
    }

    private static let ofServer = Call(
        channel: Channel(name: "LoopbackServer", environment: APIEnvironment("loopback", baseURL: "http://localhost")),
        endpoint: "webSocket")
}
