import TestSupport

@Suite("The page about threads and limits", .closing, .timeLimit(.minutes(1)))
struct LimitsTests {
    @Test("has each limit's name and default")
    func table() throws {
        let page = try Documentation.text("\(Documentation.catalog)/ThreadsAndLimits.md")
        let limits = Limits()
        let rows = Mirror(reflecting: limits).children.compactMap { child in child.label.map { ($0, child.value) } }
        #expect(rows.count >= 10)
        for (name, value) in rows {
            let number = (value as? Int).map { $0.formatted(.number.locale(Locale(identifier: "en_US"))) }
            let row = page.split(separator: "\n").first { $0.contains("``Limits/\(name)``") && $0.hasPrefix("|") }
            let found = try #require(row, "\(name) is not in the table")
            let isShown = number.map { found.contains("| \($0) |") } ?? true
            let isSize =
                name == "responseBodySize" && found.contains("| 64 MiB |")
                || name == "responseHeadSize" && found.contains("| 64 KiB |")
            #expect(isShown || isSize || value is Bool, "\(found)")
        }
    }

    @Test("a channel with its own threads and limits")
    func bulk() async throws {
        let server = try LoopbackServer.test { _ in .ok(String(repeating: "a", count: (1 << 20) + 1)) }
        var environment = APIEnvironment("loopback", baseURL: server.url)
        environment.allowsInsecureConnections = true
        let loops = closing(LoopGroup(loops: 1))
        let channel = Channel.bulk(environment, loops: loops)
        #expect(channel.problems.isEmpty)
        let error = await CommonDispatcher(channel: channel).response(for: TypedEndpoint.get("thing"), as: .data).error
        #expect(error?.label == "transport.responseTooLarge")
        await channel.close()
    }

    @Test("a request beyond the queue is rejected at once")
    func queue() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { _ in ServerReply.ok().after(.waitFor(gate)) }
        let dispatcher = Channel.test(server) { ($0.limits.connectionsPerHost, $0.limits.queuedRequests) = (1, 0) }.dispatcher
        let held = Task { try await dispatcher.request(.get("thing")) }
        try await server.waitForRequests(1)
        let rejected = await dispatcher.response(for: TypedEndpoint.get("thing"), as: .nothing)
        #expect(rejected.error?.label == "transport.queueFull")
        gate.open()
        try await held.value
    }
}
