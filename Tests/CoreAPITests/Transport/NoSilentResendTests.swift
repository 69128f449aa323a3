import TestSupport

@testable import CoreAPICore

/// libcurl itself repeats a request if a reused connection ends without a response. An order must not be placed twice.
@Suite("No request is sent twice without the caller's decision", .closing)
struct NoSilentResendTests {
    let requests = Requests()

    /// Keeps the first connection open, reads the whole second request on it, and closes without a reply.
    private func server() throws -> LoopbackServer {
        try LoopbackServer.test { $0.connection == 0 && $0.exchange == 1 ? .closeWithoutReply : .ok("answer \($0.connection)") }
    }

    private static let streamed = Body.stream(
        Body.Stream(length: 5) {
            let pieces = Mutex(["order"])
            return { _ in pieces.withLock { Data(($0.popLast() ?? "").utf8) } }
        })

    @Test(
        "A POST on a dead connection fails as ambiguous, and the server sees it once, also with an Idempotency-Key",
        arguments: [
            Body.bytes(Data("order".utf8)), .bytes(Data(repeating: 0x61, count: 300_000)), .none, .bytes(Data()), streamed,
        ],
        [[:], [HTTPField.Name("Idempotency-Key")!: "1"]] as [HTTPFields])
    func post(_ body: Body, headers: HTTPFields) async throws {
        let server = try server()
        #expect(try await requests.send(.get, server.url + "/warm").status == 200)
        let response = try await requests.send(.post, server.url + "/orders", headers: headers, body: body)
        // With a key the kit may decide to send it again; libcurl must not.
        #expect(response.transportError?.label == "connectionLost", "\(response.result)")
        #expect(response.transportError?.mayHaveBeenProcessed == true || !headers.isEmpty)
        #expect(server.requests.filter { $0.path == "/orders" }.count == 1 && server.connectionsAccepted <= 2)
    }

    @Test(
        "An idempotent request is sent again with its whole body", arguments: [Body.bytes(Data("order".utf8)), .none, streamed])
    func put(_ body: Body) async throws {
        let server = try server()
        _ = try await requests.send(.get, server.url + "/warm")
        #expect(try await requests.send(.put, server.url + "/orders", body: body).text == "answer 1")
        let sent = server.requests.filter { $0.path == "/orders" }
        #expect(sent.count == 2 && sent.last?.bodyText == sent.first?.bodyText)
    }

    private func warm(_ channel: Channel, _ server: LoopbackServer, _ gate: Gate, connections: Int) async throws {
        async let warmed: Void = each(of: connections, atOnce: connections) { _ in
            _ = await channel.manager.response(for: TestEndpoint("warm"), as: .data)
        }
        try await server.waitForRequests(connections)
        gate.open()
        await warmed
        #expect(server.connectionsAccepted == connections)
    }

    @Test(
        "One attempt reaches a server that hangs up on open connections twice at most, and a listener hears of it",
        arguments: [HTTPRequest.Method.get, .head, .put, .delete, .options], [false, true])
    func oneAttempt(_ method: HTTPRequest.Method, hangsUpAlways: Bool) async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { request in
            if request.path == "/warm" { return .ok().after(.waitFor(gate)) }
            return hangsUpAlways || request.exchange > 0 ? .closeWithoutReply : .ok()
        }
        let resends = Shared<[Int?]>([])
        var channel = Channel.test(server.url, transport: requests.transport)
        (channel.limits.attempts, channel.interceptors) = (1, [RetryPolicy(base: .zero)])
        try await warm(channel, server, gate, connections: 6)
        channel.listeners = [
            Hearing { if case .exchanged(_, let reply) = $0 { resends.change { $0.append(reply.metrics?.resends) } } }
        ]
        let response = await channel.manager.response(for: TestEndpoint("again", method), as: .nothing)
        #expect(server.requests.count { $0.path == "/again" } == 2)
        #expect(response.error?.label == (hangsUpAlways ? "transport.connectionLost" : nil))
        #expect(response.attempts.map(\.metrics?.resends) == [1])
        #expect(resends.current == [1])
    }

    @Test("A streamed response's request reaches such a server twice at most, too")
    func streamedAnswer() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { request in
            request.path == "/warm" ? .ok().after(.waitFor(gate)) : .closeWithoutReply
        }
        let channel = Channel.test(server.url, transport: requests.transport) { $0.limits.attempts = 1 }
        async let warmed: [Data] = atOnce(6) { try await channel.manager.stream(TestEndpoint("warm")).value.collect(upTo: 100) }
        try await server.waitForRequests(6)
        gate.open()
        _ = try await warmed
        #expect(await channel.manager.stream(TestEndpoint("again")).error?.label == "transport.connectionLost")
        #expect(server.requests.count { $0.path == "/again" } == 2)
    }

    @Test("Further tries are attempts, which the policy wants and the limit bounds", arguments: [1, 2, 4])
    func attempts(limit: Int) async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { request in
            request.path == "/warm" ? .ok().after(.waitFor(gate)) : .closeWithoutReply
        }
        var channel = Channel.test(server.url, transport: requests.transport)
        try await warm(channel, server, gate, connections: 6)
        channel.limits.attempts = limit
        channel.interceptors = [RetryPolicy(attempts: 10, base: .zero)]
        let response = await channel.manager.response(for: TestEndpoint("again"), as: .nothing)
        #expect(response.attempts.count == limit)
        let sent = response.attempts.reduce(0) { $0 + 1 + ($1.metrics?.resends ?? 0) }
        #expect(server.requests.count { $0.path == "/again" } == sent)
        #expect(response.attempts.allSatisfy { $0.metrics?.resends ?? 0 <= 1 })
    }

    @Test(
        "On a fresh connection a lost answer is ambiguous, too, except for a GET",
        arguments: [(HTTPRequest.Method.post, true), (.get, false)])
    func freshConnection(_ method: HTTPRequest.Method, _ ambiguous: Bool) async throws {
        for reply in [ServerReply.closeWithoutReply, .resetBeforeHead] {
            let server = try LoopbackServer.start { _ in reply }
            let response = try await requests.send(method, server.url)
            #expect(response.transportError?.mayHaveBeenProcessed == ambiguous, "\(response.result)")
            #expect(server.requests.count == 1)
        }
    }

    @Test("If the connection for a repetition fails, the error is the lost answer, not the failed connection")
    func serverGone() async throws {
        let server = try LoopbackServer.start { $0.method == "GET" ? .ok() : .stallBeforeHead }
        #expect(try await requests.send(.get, server.url).status == 200)
        let task = Task { try await requests.send(.post, server.url, body: .bytes(Data("order".utf8))) }
        try await server.waitForRequests(2)
        server.close()
        #expect(try await task.value.transportError?.mayHaveBeenProcessed == true)
    }
}
