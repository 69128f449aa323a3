import TestSupport

@Suite("The limits on a channel's connections", .closing)
struct ConnectionLimitsTests {
    private func channel(_ server: LoopbackServer, limits: Limits = Limits(), transport: CurlTransport) -> Channel {
        .test(server.url, limits: limits, transport: transport)
    }

    private func get(_ channel: Channel) async -> Response<Data> {
        await channel.manager.response(for: TestEndpoint("x"), as: .data)
    }

    @Test("a changed limit that does not concern connections keeps them")
    func attempts() async throws {
        let server = try LoopbackServer.test { _ in .ok("x") }
        let transport = closing(CurlTransport())
        var channel = channel(server, transport: transport)
        #expect(await get(channel).metrics?.isConnectionReused == false)
        channel.limits.attempts = 2
        channel.limits.responseBodySize = 1_000
        #expect(await get(channel).metrics?.isConnectionReused == true)
        #expect(server.connectionsAccepted == 1)
        #expect(transport.poolCount == 1)
    }

    @Test("a changed limit on connections applies to the next request, and the old connections are closed")
    func changed() async throws {
        let server = try LoopbackServer.test { _ in .ok("x") }
        let transport = closing(CurlTransport())
        var channel = channel(server, transport: transport)
        _ = await get(channel)
        channel.limits.connectionsPerHost = 1
        #expect(await get(channel).metrics?.isConnectionReused == false)
        #expect(transport.poolCount == 1)
        try await server.waitForOpenConnections(atMost: 1)
    }

    @Test("copies of a channel that reject different addresses keep their connections when they are used in turn")
    func copies() async throws {
        let server = try LoopbackServer.test { _ in .ok("x") }
        let channel = channel(server, transport: closing(CurlTransport()))
        let careful = channel.with { $0.limits.rejectedAddresses = .linkLocal }
        for _ in 0..<3 { for channel in [channel, careful] { #expect(await get(channel).error == nil) } }
        #expect(server.connectionsAccepted == 2)
    }

    @Test("a transport of many channels keeps the connections of at most a hundred")
    func tenants() async throws {
        let server = try LoopbackServer.test { _ in .ok("x") }
        let transport = closing(CurlTransport())
        for number in 0..<130 {
            var channel = channel(server, transport: transport)
            channel.name = "tenant \(number)"
            channel.limits.connectionsPerHost = number + 1
            #expect(await get(channel).error == nil)
        }
        #expect(transport.poolCount <= 100)
        try await server.waitForOpenConnections(atMost: 100)
    }

    @Test("are the channel's own, unless the transport has its own", arguments: [nil, 2])
    func whose(given: Int?) async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { _ in .ok("x").after(.waitFor(gate)) }
        var (limits, others) = (Limits(), Limits())
        limits.connectionsPerHost = 3
        if let given { others.connectionsPerHost = given }
        let transport = closing(CurlTransport(limits: given == nil ? nil : others))
        let channel = channel(server, limits: limits, transport: transport)
        let answers = (0..<8).map { _ in Task { await get(channel) } }
        try await server.waitForRequests(given ?? 3)
        gate.open()
        for answer in answers { #expect(await answer.value.error == nil) }
        #expect(server.peakConnections == given ?? 3)
    }
}
