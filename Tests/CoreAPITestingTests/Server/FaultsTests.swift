import TestSupport

@Suite("The loopback server misbehaves", .closing, .timeLimit(.minutes(1)))
struct FaultsTests {
    /// A client that has sent a request to a server with this reply.
    private func asked(_ reply: ServerReply) throws -> (LoopbackServer, RawClient) {
        let server = try LoopbackServer.test { _ in reply }
        let client = try RawClient(server, sending: "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab")
        return (server, client)
    }

    private func text(_ bytes: Data) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test(
        "by a reset before the head, and inside the body",
        arguments: [.resetBeforeHead, .resetInBody(sent: Data("half".utf8))] as [ServerReply])
    func resets(reply: ServerReply) throws {
        let (server, client) = try asked(reply)
        #expect(throws: RawClient.Failed(call: "recv", code: ECONNRESET)) { try client.receiveToEnd() }
        #expect(server.requests.first?.bodyText == "ab")
    }

    @Test(
        "by ending in the orderly way without a reply, inside a body or chunks, and after bytes that are not HTTP",
        arguments: [
            (.closeWithoutReply, ""),
            (.truncated(declared: 10, sent: Data("12345".utf8)), "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"),
            (.chunkedWithoutEnd(["ab", "c"]), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n"),
            (.garbage(Data([0, 1, 2, 0x7F])), "\u{0}\u{1}\u{2}\u{7F}"),
        ] as [(ServerReply, String)])
    func ends(reply: ServerReply, text: String) throws {
        let (_, client) = try asked(reply)
        #expect(try client.receiveToEnd() == Data(text.utf8))
    }

    @Test("by a clean close although it never read a second request")
    func closeOverUnreadInput() throws {
        let server = try LoopbackServer.test(script: [.ok("x").followed(by: .closeConnection)])
        let client = try RawClient(server, sending: "GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n")
        #expect(try text(client.receiveToEnd()).hasSuffix("x"))
        #expect(server.requests.map(\.target) == ["/1"])
    }

    @Test("by never answering, and by giving up the rest of the reply when the client leaves", arguments: [true, false])
    func stalls(withoutEnd: Bool) async throws {
        let never = try Gate()
        let (server, client) = try asked([withoutEnd ? .stall : .wait(.seconds(600)), .open(never)])
        try await server.waitForRequests(1)
        #expect(await !client.hasSomething(within: 50))
        #expect(server.openConnections == 1)
        client.close()
        try await server.waitForOpenConnections(atMost: 0)
        #expect(!never.isOpen)
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
        let start = ContinuousClock.now
        let (_, client) = try asked(reply)
        #expect(try text(client.receiveToEnd()).hasSuffix("\r\n\r\nabcdefg"))
        #expect(ContinuousClock.now - start >= .milliseconds(60))
    }

    @Test("by answering late")
    func late() throws {
        let start = ContinuousClock.now
        let (_, client) = try asked(ServerReply.ok("x").after(.wait(.milliseconds(60))))
        #expect(try client.receive(through: "x").hasSuffix("x"))
        #expect(ContinuousClock.now - start >= .milliseconds(60))
    }

    @Test("by resetting a connection as soon as it is accepted")
    func resetOnConnect() async throws {
        let server = try LoopbackServer.test(onConnect: [.reset]) { _ in .ok() }
        let client = try RawClient(server)
        #expect(throws: RawClient.Failed(call: "recv", code: ECONNRESET)) { try client.receive() }
        try await server.waitForOpenConnections(atMost: 0)
        #expect(server.connectionsAccepted == 1 && server.requests.isEmpty)
    }

    @Test("by sending to a client before its request, and then serving it")
    func greeting() throws {
        let server = try LoopbackServer.test(onConnect: [.send(Data("hello".utf8))]) { _ in .ok("x") }
        let client = try RawClient(server)
        #expect(try client.receive(through: "hello") == "hello")
        #expect(try client.get("/", through: "x").hasPrefix("HTTP/1.1 200 OK"))
    }

    @Test("by never sending a byte on a connection")
    func silent() async throws {
        let server = try LoopbackServer.startSilent()
        let client = try RawClient(server, sending: "\u{16}\u{3}\u{1}")
        try await server.waitForConnections(1)
        #expect(await !client.hasSomething(within: 50))
        #expect(server.requests.isEmpty)
        server.close()
        #expect(await client.hasSomething(within: 5000))
    }
}
