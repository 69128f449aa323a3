import TestSupport

@Suite("A channel's connections", .closing)
struct ConnectionTests {
    struct Page: Codable, Equatable, Sendable { var page: Int }

    @Test("stay within the channel's limit over 1,000 calls at 64 at a time, and none is left after close")
    func thousand() async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"page":1}"#) }
        var limits = Limits()
        limits.connectionsPerHost = 6
        let transport = CurlTransport(limits: limits)
        let manager = Channel.test(server.url, limits: limits, transport: transport).manager()
        try await withThrowingTaskGroup(of: Page.self) { group in
            var started = 0
            func start() {
                started += 1
                group.addTask { try await manager.request(endpoint: TestEndpoint("x"), type: Page.self) }
            }
            for _ in 0..<64 { start() }
            var finished = 0
            while let page = try await group.next() {
                #expect(page.page == 1)
                finished += 1
                if started < 1_000 { start() }
            }
            #expect(finished == 1_000)
        }
        #expect(server.requests.count == 1_000)
        #expect(server.peakConnections <= 6)
        #expect(server.connectionsAccepted <= 6)
        #expect(transport.activeExchanges == 0)
        #expect(transport.queuedExchanges == 0)
        #expect(transport.isRunning)
        await transport.close()
        #expect(!transport.isRunning)
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("are closed with the channel, and a closed channel fails calls by name")
    func closed() async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"page":1}"#) }
        let channel = Channel.test(server.url)
        _ = try await channel.manager().request(endpoint: TestEndpoint("x"), type: Page.self)
        await channel.close()
        await channel.close()
        try await server.waitForOpenConnections(atMost: 0)
        let response = await channel.manager().response(for: TestEndpoint("x"), as: Page.self)
        #expect(response.error?.label == "transport.closed")
    }

    @Test("a cancelled task aborts its transfer on the wire")
    func cancellation() async throws {
        let server = try LoopbackServer.test { _ in .stallBeforeHead }
        let channel = Channel.test(server.url)
        let manager = channel.manager()
        let task = Task { await manager.response(for: TestEndpoint("x"), as: Page.self) }
        try await server.waitForRequests(1)
        task.cancel()
        #expect(await task.value.error?.isCancelled == true)
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("one deadline holds over all attempts")
    func deadline() async throws {
        let server = try LoopbackServer.test { _ in .stallBeforeHead }
        let transport = CurlTransport()
        var channel = Channel.test(server.url, transport: transport)
        channel.limits.attempts = 1_000
        channel.interceptors = [RetryPolicy(attempts: 1_000, base: .milliseconds(1))]
        channel.modifiers = [Timeout(connect: .seconds(5), idle: .milliseconds(100), total: .seconds(10))]
        let start = ContinuousClock.now
        let manager = channel.manager()
        // On its own thread, because other tests may block the shared ones for longer than the deadline.
        let response = await withTaskExecutorPreference(ownThread()) {
            await manager.response(for: TestEndpoint("x"), as: Page.self)
        }
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(response.attempts.count >= 2)
        guard case .transport(.timedOut, _)? = response.error else {
            Issue.record("\(String(describing: response.error))"); return
        }
    }

    @Test("every attempt is measured")
    func metrics() async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"page":1}"#) }
        let channel = Channel.test(server.url)
        let first = await channel.manager().response(
            for: TestEndpoint("x", .post, params: ["a": 1], encoding: .body), as: Page.self)
        let second = await channel.manager().response(for: TestEndpoint("x"), as: Page.self)
        await channel.close()
        let fresh = try #require(first.metrics)
        let reused = try #require(second.metrics)
        #expect(!fresh.isConnectionReused)
        #expect(fresh.connect != nil)
        #expect(fresh.tls == nil)
        #expect(fresh.firstByte != nil)
        #expect(fresh.total > .zero)
        #expect(fresh.bytesSent == 7)
        #expect(fresh.bytesReceived == 10)
        #expect(fresh.httpVersion == "HTTP/1.1")
        #expect(fresh.remoteAddress == "127.0.0.1")
        #expect(fresh.remotePort == Int(server.port))
        #expect(reused.isConnectionReused)
        #expect(reused.connect == nil && reused.nameLookup == nil)
        #expect(first.attempts.first?.metrics == first.metrics)
    }

    @Test("work over IPv6 as over IPv4", arguments: [(LoopbackAddress.ipv4, "127.0.0.1"), (.ipv6, "::1")])
    func families(address: LoopbackAddress, remote: String) async throws {
        let server = try LoopbackServer.test(on: address) { _ in .json(#"{"page":1}"#) }
        let channel = Channel.test(server.url)
        let response = await channel.manager().response(for: TestEndpoint("x"), as: Page.self)
        await channel.close()
        #expect(try response.value.page == 1)
        #expect(response.metrics?.remoteAddress == remote)
    }
}
