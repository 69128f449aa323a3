import TestSupport

@Suite("The loopback server's life", .closing, .timeLimit(.minutes(1)))
struct ServerLifeTests {
    /// Another process may reuse a closed port, so this checks that the server itself accepts no connection.
    private func expectNoListener(_ server: LoopbackServer) throws {
        let before = server.connectionsAccepted
        do {
            _ = try RawClient(server)
        } catch let error as RawClient.Failed { #expect(error == RawClient.Failed(call: "connect", code: ECONNREFUSED)) }
        #expect(server.connectionsAccepted == before)
    }

    @Test("connections are counted: accepted, open, and at their peak")
    func counts() async throws {
        let server = try LoopbackServer.test { _ in .ok("x") }
        var clients = try (0..<3).map { _ in try RawClient(server) }
        for client in clients { _ = try client.get("/", through: "x") }
        #expect(server.openConnections == 3)
        clients.removeLast(2)
        try await server.waitForOpenConnections(atMost: 1)
        _ = try RawClient(server).get("/", through: "x")
        #expect(server.connectionsAccepted == 4 && server.peakConnections == 3)
        withExtendedLifetime(clients) {}
    }

    @Test("many connections are served at the same time", arguments: [64, 256])
    func parallelConnections(count: Int) async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { ServerReply.ok("<\($0.target)>").after(.waitFor(gate)) }
        let start = ContinuousClock.now
        let clients = try (0..<count).map { _ in try RawClient(server) }
        for (number, client) in clients.enumerated() { try client.send("GET /\(number) HTTP/1.1\r\n\r\n") }
        try await server.waitForRequests(count)
        #expect(server.openConnections == count)
        gate.open()
        for (number, client) in clients.enumerated() { #expect(try client.receive(through: ">").hasSuffix("</\(number)>")) }
        #expect(server.peakConnections == count)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test(
        "closing ends every kind of wait and every connection",
        arguments: [
            [.stall], [.wait(.seconds(600))], [.throttled(Data("abc".utf8), chunkSize: 1, interval: .seconds(600))],
            [.sendBody(Data(count: 64 << 20))], nil,
        ] as [ServerReply?])
    func ending(reply: ServerReply?) async throws {
        let never = try Gate()
        let server = try LoopbackServer.start { _ in reply ?? [.waitFor(never)] }
        let client = try RawClient(server)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        let idle = try RawClient(server)
        try await server.waitForRequests(1)
        try await server.waitForConnections(2)
        // It waits for its threads, at most for five seconds.
        server.close()
        #expect(server.openConnections == 0)
        #expect(try idle.receive().isEmpty)
        try expectNoListener(server)
    }

    @Test("closing twice, and from several threads, is closing once")
    func closingTwice() async throws {
        let server = try LoopbackServer.start { _ in .ok() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    server.close()
                    #expect(throws: Never.self) { try expectNoListener(server) }
                }
            }
        }
        server.close()
    }

    @Test("a handler may close its own server")
    func closingFromHandler() async throws {
        let held = Shared<LoopbackServer?>(nil)
        let server = try LoopbackServer.start { _ in
            held.current?.close()
            return .ok("too late")
        }
        held.change { $0 = server }
        let client = try RawClient(server)
        #expect(try client.get("/", through: "too late") == "")
        try await server.waitForOpenConnections(atMost: 0)
        held.change { $0 = nil }
    }

    @Test("stopping lets a running exchange end", arguments: [false, true])
    func stopping(overHTTP2: Bool) async throws {
        let gate = try Gate()
        let server = try LoopbackServer.start(tls: overHTTP2 ? ServerTLS() : nil) { _ in
            ServerReply.ok("whole").after(.waitFor(gate))
        }
        let manager = server.manager
        let answer = Task { try await manager.text() }
        try await server.waitForRequests(1)
        let stop = Task { await server.stop(within: .seconds(50)) }
        // This wait ends when the server begins to stop.
        await #expect {
            try await server.waitForRequests(2)
        } throws: { error in if case LoopbackServerError.closed = error { true } else { false } }
        #expect(server.openConnections == 1)
        gate.open()
        #expect(try await answer.value == "whole")
        await stop.value
        #expect(server.openConnections == 0)
        try expectNoListener(server)
    }

    @Test("stopping ends an idle connection at once and in the orderly way, also in a cancelled task")
    func stoppingIdle() async throws {
        let server = try LoopbackServer.start { _ in .ok("x") }
        let client = try RawClient(server)
        _ = try client.get("/", through: "x")
        let start = ContinuousClock.now
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await server.stop(within: .seconds(50))
        }.value
        #expect(ContinuousClock.now - start < .seconds(25))
        #expect(server.openConnections == 0)
        #expect(try client.receive().isEmpty)
        try expectNoListener(server)
    }

    @Test("stopping cuts an exchange after the grace")
    func stoppingCuts() async throws {
        let server = try LoopbackServer.start { _ in .stallBeforeHead }
        let client = try RawClient(server, sending: "GET / HTTP/1.1\r\n\r\n")
        try await server.waitForRequests(1)
        await server.stop(within: .milliseconds(50))
        #expect(server.openConnections == 0)
        #expect(try client.receive().isEmpty)
    }

    @Test("a server that keeps no requests still counts connections")
    func keepsNoRequests() throws {
        let server = try LoopbackServer.test(keepsRequests: false) { .ok("<\($0.target)>") }
        let client = try RawClient(server)
        #expect(try client.get("/a", through: ">").hasSuffix("</a>"))
        #expect(server.requests.isEmpty && server.connectionsAccepted == 1)
    }

    @Test("a released server closes itself")
    func forgotten() async throws {
        var server: LoopbackServer? = try LoopbackServer.start { _ in .stallBeforeHead }
        let client = try RawClient(port: #require(server?.port))
        try client.send("GET / HTTP/1.1\r\n\r\n")
        try await server?.waitForRequests(1)
        server = nil
        #expect(try client.receive().isEmpty)
    }

    @Test("a given port is used, and is an error while it is taken")
    func givenPort() throws {
        let server = try LoopbackServer.test { _ in .ok() }
        #expect(server.url == "http://127.0.0.1:\(server.port)")
        #expect(throws: LoopbackServerError.systemCall("bind", code: EADDRINUSE)) {
            try LoopbackServer.start(port: server.port) { _ in .ok() }
        }
    }

    @Test("a port can be used again at once, although its last connection was closed a moment ago")
    func portAgain() throws {
        // Another process may get the port first, but not three times in a row.
        for attempt in 1...3 {
            let first = try LoopbackServer.start { _ in .ok("x").followed(by: .closeConnection) }
            let client = try RawClient(first, sending: "GET / HTTP/1.1\r\n\r\n")
            // The system remembers the port of the side that closes first.
            _ = try client.receiveToEnd()
            client.close()
            first.close()
            do {
                let second = try LoopbackServer.start(port: first.port) { _ in .ok("y") }
                defer { second.close() }
                #expect(try RawClient(port: second.port).get("/", through: "y").hasSuffix("y"))
                return
            } catch LoopbackServerError.systemCall("bind", EADDRINUSE) where attempt < 3 { continue }
        }
    }

    #if os(Linux)
    @Test("a stalled listener frees its port when it is released")
    func stalledListener() async throws {
        let port = try StalledListener().port
        // Rejected, or reused by another process, but not stalled.
        let result = await onOwnThread { Result { _ = try RawClient(port: port) } }
        if case .failure(let error) = result { #expect((error as? RawClient.Failed)?.code == ECONNREFUSED) }
    }
    #endif

    @Test("a client that leaves in the middle of a reply does not end the process")
    func brokenPipe() async throws {
        let server = try LoopbackServer.test { _ in .ok(Data(count: 64 << 20)) }
        for _ in 0..<5 {
            let client = try RawClient(server, sending: "GET / HTTP/1.1\r\n\r\n")
            _ = try client.receive()
            client.close()
        }
        try await server.waitForOpenConnections(atMost: 0)
        #expect(server.requests.count == 5)
    }

    @Test("a wait for requests that have arrived ends at once, and one for others lists the received ones")
    func waitTimesOut() async throws {
        let server = try LoopbackServer.test { _ in .ok("x") }
        _ = try RawClient(server).get("/one", through: "x")
        #expect(try await server.waitForRequests(1, timeout: .zero).count == 1)
        let error = await #expect(throws: LoopbackServerError.self) {
            try await server.waitForRequests(2, timeout: .milliseconds(20))
        }
        #expect(error?.description.contains("waited for 2 requests; 1 requests [\"GET /one\"]") == true)
    }

    @Test("a wait for requests ends with an error when the server is closed")
    func waitClosed() async throws {
        let server = try LoopbackServer.start { _ in .ok() }
        let waiting = Task { try await server.waitForRequests(1, timeout: .seconds(60)) }
        server.close()
        let error = await #expect(throws: LoopbackServerError.self) { try await waiting.value }
        #expect("\(error as Any)".contains("closed"))
    }

    @Test("a wait for requests ends with its task", arguments: [true, false])
    func waitCancelled(afterStart: Bool) async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let started = try Gate()
        let waiting = Task {
            started.open()
            try await server.waitForRequests(1, timeout: .seconds(60))
        }
        if afterStart { try await started.waitUntilOpen() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
