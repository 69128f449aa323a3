import TestSupport

@Suite("A gate", .closing, .timeLimit(.minutes(1)))
struct GateTests {
    @Test("holds a reply until the test opens it")
    func holdsReply() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { _ in ServerReply.ok("through").after(.waitFor(gate)) }
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        try await server.waitForRequests(1)
        #expect(await !client.hasSomething(within: 50))
        gate.open()
        #expect(try client.receive(through: "through").hasSuffix("through"))
    }

    @Test("signals the test that a reply has reached a step")
    func reportsProgress() async throws {
        let sent = try Gate()
        let server = try LoopbackServer.test { _ in [.sendHead(status: 200), .open(sent), .stall] }
        let client = try RawClient(port: server.port)
        #expect(!sent.isOpen)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        try await sent.waitUntilOpen()
        #expect(sent.isOpen)
        #expect(await client.hasSomething(within: 0))
    }

    @Test("stays open, for any number of replies")
    func staysOpen() async throws {
        let gate = try Gate()
        gate.open()
        gate.open()
        try await gate.waitUntilOpen(timeout: .zero)
        let server = try LoopbackServer.test { _ in ServerReply.ok("x").after(.waitFor(gate), .waitFor(gate)) }
        let client = try RawClient(port: server.port)
        for _ in 0..<3 { #expect(try client.get("/", through: "x").hasSuffix("x")) }
    }

    @Test("times out for the test if it is never opened")
    func timesOut() async throws {
        let gate = try Gate()
        await #expect(throws: LoopbackServerError.self) { try await gate.waitUntilOpen(timeout: .milliseconds(20)) }
    }
}
