internal import CoreAPI
public import CoreAPIWebSocket

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
