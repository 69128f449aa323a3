import TestSupport

@Suite("A channel's connections", .closing)
struct ConnectionTests {
    @Test("stay within the channel's limit over 1,000 calls at 64 at a time, and none is left after close")
    func thousand() async throws {
        let server = try LoopbackServer.test { .ok($0.target) }
        let transport = CurlTransport(limits: .test(perHost: 6))
        let manager = Channel.test(server.url, limits: .test(perHost: 6), transport: transport).manager
        await each(of: 1_000, atOnce: 64) { index in
            let text = try? await manager.response(for: TestEndpoint("\(index)"), as: .text).value
            #expect(text == "/\(index)")
        }
        #expect(server.requests.count == 1_000)
        #expect(server.peakConnections <= 6 && server.connectionsAccepted <= 6)
        #expect(transport.activeExchanges == 0 && transport.queuedExchanges == 0 && transport.isRunning)
        await transport.close()
        #expect(!transport.isRunning)
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("one deadline holds over all attempts")
    func deadline() async throws {
        let server = try LoopbackServer.test { _ in .stallBeforeHead }
        let channel = Channel.test(server.url) {
            $0.limits.attempts = 1_000
            $0.interceptors = [RetryPolicy(attempts: 1_000, base: .milliseconds(1))]
            $0.modifiers = [Timeout(connect: .seconds(5), idle: .milliseconds(100), total: .seconds(10))]
        }
        let start = ContinuousClock.now
        // On its own thread, because other tests may block the shared ones for longer than the deadline.
        let response = await withTaskExecutorPreference(ownThread()) { await channel.item() }
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(response.attempts.count >= 2)
        #expect(response.transportError?.label.hasPrefix("timedOut") == true, "\(response.result)")
    }

    @Test("work over IPv6 as over IPv4", arguments: [(LoopbackAddress.ipv4, "127.0.0.1"), (.ipv6, "::1")])
    func families(address: LoopbackAddress, remote: String) async throws {
        let server = try LoopbackServer.test(on: address) { _ in .json(#"{"id":1}"#) }
        let response = await Channel.test(server).item()
        #expect(try response.value.id == 1)
        #expect(response.metrics?.remoteAddress == remote && response.attempts.map(\.metrics) == [response.metrics])
    }
}
