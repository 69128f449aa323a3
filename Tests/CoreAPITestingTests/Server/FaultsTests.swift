import TestSupport

@Suite("The loopback server misbehaves", .closing, .timeLimit(.minutes(1)))
struct FaultsTests {
    /// A client that has sent a request to a server with this reply.
    private func asked(_ reply: ServerReply) throws -> (LoopbackServer, RawClient) {
        let server = try LoopbackServer.test { _ in reply }
        let client = try RawClient(port: server.port)
        try client.send("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab")
        return (server, client)
    }

    private func text(_ bytes: Data) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    @Test("by a reset before the head")
    func resetBeforeHead() throws {
        let (server, client) = try asked(.resetBeforeHead)
        #expect(throws: RawClient.Failed(call: "recv", code: ECONNRESET)) { try client.receive() }
        #expect(server.requests.first?.bodyText == "ab")
    }

    @Test("by a reset inside the body")
    func resetInBody() throws {
        let (_, client) = try asked(.resetInBody(sent: Data("half".utf8)))
        #expect(throws: RawClient.Failed(call: "recv", code: ECONNRESET)) { try client.receiveToEnd() }
    }

    @Test("by closing without a reply, in the orderly way")
    func closeWithoutReply() throws {
        let (_, client) = try asked(.closeWithoutReply)
        #expect(try client.receive().isEmpty)
    }

    @Test("by a clean close although it never read a second request")
    func closeOverUnreadInput() throws {
        let server = try LoopbackServer.test(script: [.ok("x").followed(by: .closeConnection)])
        let client = try RawClient(port: server.port)
        try client.send("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n")
        #expect(try text(client.receiveToEnd()).hasSuffix("x"))
        #expect(server.requests.map(\.target) == ["/1"])
    }

    @Test("by truncating a body")
    func truncated() throws {
        let (_, client) = try asked(.truncated(declared: 10, sent: Data("12345".utf8)))
        #expect(try text(client.receiveToEnd()) == "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
    }

    @Test("by leaving a chunked body without its end")
    func chunkedWithoutEnd() throws {
        let (_, client) = try asked(.chunkedWithoutEnd(["ab", "c"]))
        #expect(try text(client.receiveToEnd()).hasSuffix("chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n"))
    }

    @Test("by sending bytes that are not HTTP")
    func garbage() throws {
        let (_, client) = try asked(.garbage(Data([0, 1, 2, 0xFF])))
        #expect(try client.receiveToEnd() == Data([0, 1, 2, 0xFF]))
    }

    @Test("by never answering, until the client leaves")
    func stallBeforeHead() async throws {
        let (server, client) = try asked(.stallBeforeHead)
        try await server.waitForRequests(1)
        #expect(await !client.hasSomething(within: 50))
        #expect(server.openConnections == 1)
        client.close()
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("by stopping inside a body")
    func stallInBody() async throws {
        let (_, client) = try asked(.stallInBody(sent: Data("half".utf8)))
        #expect(try client.receive(through: "half").contains("Content-Length: 5\r\n"))
        #expect(await !client.hasSomething(within: 50))
    }

    @Test("by sending a body slowly, with a pause between the pieces")
    func throttled() throws {
        let reply: ServerReply = [
            .sendHead(status: 200), .throttled(Data("abcdefg".utf8), chunkSize: 3, interval: .milliseconds(30)), .closeConnection,
        ]
        let clock = ContinuousClock()
        let start = clock.now
        let (_, client) = try asked(reply)
        #expect(try text(client.receiveToEnd()).hasSuffix("\r\n\r\nabcdefg"))
        #expect(clock.now - start >= .milliseconds(60))
    }

    @Test("by answering late")
    func late() throws {
        let clock = ContinuousClock()
        let start = clock.now
        let (_, client) = try asked(ServerReply.ok("x").after(.wait(.milliseconds(60))))
        #expect(try client.receive(through: "x").hasSuffix("x"))
        #expect(clock.now - start >= .milliseconds(60))
    }

    @Test("by giving up a wait, and the rest of the reply, when the client leaves")
    func waitEndsWithTheClient() async throws {
        let never = try Gate()
        let (server, client) = try asked([.wait(.seconds(600)), .open(never)])
        try await server.waitForRequests(1)
        client.close()
        try await server.waitForOpenConnections(atMost: 0)
        #expect(!never.isOpen)
    }

    @Test("by resetting a connection as soon as it is accepted")
    func resetOnConnect() async throws {
        let server = try LoopbackServer.test(onConnect: [.reset]) { _ in .ok() }
        let client = try RawClient(port: server.port)
        #expect(throws: RawClient.Failed(call: "recv", code: ECONNRESET)) { try client.receive() }
        try await server.waitForOpenConnections(atMost: 0)
        #expect(server.connectionsAccepted == 1)
        #expect(server.requests.isEmpty)
    }

    @Test("by sending to a client before its request, and then serving it")
    func greeting() throws {
        let server = try LoopbackServer.test(onConnect: [.send(Data("hello".utf8))]) { _ in .ok("x") }
        let client = try RawClient(port: server.port)
        #expect(try client.receive(through: "hello") == "hello")
        #expect(try client.get("/", through: "x").hasPrefix("HTTP/1.1 200 OK"))
    }

    @Test("by never sending a byte on a connection")
    func silent() async throws {
        let server = try LoopbackServer.startSilent()
        let client = try RawClient(port: server.port)
        try client.send("\u{16}\u{3}\u{1}")
        try await server.waitForConnections(1)
        #expect(await !client.hasSomething(within: 50))
        #expect(server.requests.isEmpty)
        server.close()
        #expect(await client.hasSomething(within: 5000))
    }
}
