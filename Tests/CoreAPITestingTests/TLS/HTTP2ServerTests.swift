import TestSupport

@Suite("A server with HTTP/2", .closing)
struct HTTP2ServerTests {
    @Test("transfers bodies far larger than its windows, both ways")
    func largeBodies() async throws {
        let body = String(repeating: "0123456789abcdef", count: 40_000)
        let server = try LoopbackServer.test(tls: ServerTLS()) { request in .ok(request.bodyText + request.bodyText) }
        #expect(try await server.manager.text(body: body) == body + body)
    }

    @Test("reads a body beyond the limit to its end, and drops it")
    func bodyLimit() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS(), bodyLimit: 5) { .ok("\($0.bodyText) of \($0.bodyLength)") }
        #expect(try await server.manager.text(body: String(repeating: "0123456789", count: 40_000)) == "01234 of 400000")
    }

    @Test("announces its stop, and closes an idle connection")
    func stopping() async throws {
        let server = try LoopbackServer.start { _ in .ok() }
        let client = try RawClient(server, sending: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        try client.send(Self.settings)
        var received = Data()
        while !received.suffix(9).elementsEqual(Self.acknowledgement) { received += try client.receive() }
        await server.stop(within: .seconds(50))
        // GOAWAY: no stream was processed, and there is no error.
        #expect(try client.receiveToEnd() == Data([0, 0, 8, 7, 0, 0, 0, 0, 0] + Array(repeating: 0, count: 8)))
    }

    @Test("answers other streams of a connection while one stalls")
    func streamsAreIndependent() async throws {
        let reached = try Gate()
        let server = try LoopbackServer.test(tls: ServerTLS()) { request in
            request.path == "/stalls" ? [.open(reached), .stall] : .ok("\(request.connection)")
        }
        let manager = server.manager
        let stalled = Task { try await manager.text("stalls") }
        try await reached.waitUntilOpen()
        for _ in 0..<3 { #expect(try await manager.text() == "0") }
        // Cancelling resets the stream, which ends its thread; the connection continues.
        stalled.cancel()
        await #expect(throws: APIClientError.self) { try await stalled.value }
        #expect(try await manager.text() == "0")
        await manager.channel?.close()
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("plays the replies of HTTP/1.1: chunks, trailers, a head alone, a hundred fields")
    func replies() async throws {
        var many: HeaderLines = [:]
        for index in 0..<100 { many.append("X-Field-\(index)", String(repeating: "v", count: 400)) }
        let replies: [ServerReply] = [
            .chunked(["ab", "cd"]), [.sendHead(status: 200), .sendChunk(Data("x".utf8)), .endChunks(trailers: ["X-Sum": "1"])],
            .status(204), .ok("many", headers: many),
        ]
        let server = try LoopbackServer.test(script: replies, tls: ServerTLS())
        let manager = server.manager
        var texts: [String] = []
        for _ in 0..<3 { texts.append(try await manager.text()) }
        #expect(texts == ["abcd", "x", ""])
        #expect(await manager.response(for: .get("x"), as: .text).head?.headers.count == 102)
    }

    @Test("serves a client that begins with HTTP/2 in clear text")
    func priorKnowledge() async throws {
        let server = try LoopbackServer.start { request in .ok("\(request.version) \(request.bodyText)") }
        let curl = ["curl", "-sS", "--max-time", "10", "--http2-prior-knowledge", "--data", "x=1", server.url]
        #expect(try await Program.run(curl).text == "HTTP/2 x=1")
    }

    @Test("resets a connection only after its client has acknowledged the settings, which would otherwise meet the reset")
    func resetWaits() async throws {
        let server = try LoopbackServer.test { _ in .ok("whole").followed(by: .complete, .reset) }
        let client = try RawClient(server)
        let request = Data([0, 0, 3, 1, 5, 0, 0, 0, 1, 0x82, 0x86, 0x84])
        try client.send(Data("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Self.settings + request)
        var answer = Data()
        // The frame that ends the stream.
        while !answer.suffix(9).elementsEqual([0, 0, 0, 0, 1, 0, 0, 0, 1]) { answer += try client.receive() }
        #expect(await !client.hasSomething(within: 100))
        try client.send(Self.acknowledgement)
        #expect(throws: RawClient.Failed(call: "recv", code: ECONNRESET)) { try client.receive() }
    }

    private static let settings = Data([0, 0, 0, 4, 0, 0, 0, 0, 0])
    private static let acknowledgement = Data([0, 0, 0, 4, 1, 0, 0, 0, 0])
}

extension NetworkManager {
    /// The text of a response.
    func text(_ path: String = "x", body: String? = nil) async throws -> String {
        let endpoint =
            body.map { TypedEndpoint(.post, path, encoding: .body(.bytes(Data($0.utf8)))) } ?? TypedEndpoint(.get, path)
        return try await request(endpoint, as: .text)
    }
}
