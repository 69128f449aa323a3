import TestSupport

@Suite("Fixtures by environment")
struct FixturesByEnvironmentTests {
    private static let scenarios: [String: [Fixture]] = [
        "orders": [Fixture(.get, "thing", headers: ["X-From": "orders"], body: #"{"id":1}"#)],
        "orders-empty": [Fixture(.get, "thing", status: 404, body: #"{"id":0}"#)],
        "orders-error": [Fixture(.get, "thing", failure: .timedOut(.idle, after: .seconds(30)))],
    ]

    /// A channel whose transport must never be used.
    private func channel(_ fixturesType: FixturesType = .scenarios(scenarios, scenario: "orders")) -> (
        Channel, RecordingTransport
    ) {
        let network = RecordingTransport()
        let channel = Channel.test(network) { ($0.environment.fixturesType, $0.environment.isSimulated) = (fixturesType, true) }
        return (channel, network)
    }

    @Test("a simulated environment answers with status, headers and body, and no request leaves")
    func answers() async throws {
        let (channel, network) = channel()
        let manager = channel.manager
        let response = await manager.response(for: TestEndpoint(), as: Item.self)
        #expect(try response.value == Item(id: 1))
        #expect(response.head?.headers[.init("X-From")!] == "orders")
        let empty = await manager.attaching(Fixture.Scenario("orders-empty")).response(for: TestEndpoint(), as: Item.self)
        #expect(empty.head?.status.code == 404)
        #expect(String(decoding: empty.data, as: UTF8.self) == #"{"id":0}"#)
        #expect(network.requests.isEmpty)
    }

    @Test("a scenario is chosen per channel, per endpoint or per call; the nearest one applies")
    func levels() async {
        var (channel, _) = channel()
        channel.modifiers = [Fixture.Scenario("orders-empty")]
        let manager = channel.manager
        let endpoint = TestEndpoint(modifiers: [Fixture.Scenario("orders-error")])
        #expect(await manager.response(for: TestEndpoint(), as: Item.self).head?.status.code == 404)
        #expect(await manager.response(for: endpoint, as: Item.self).error?.label == "transport.timedOut.idle")
        #expect(await manager.attaching(Fixture.Scenario("orders")).response(for: endpoint, as: Item.self).error == nil)
    }

    @Test("a fixture of an endpoint or a call answers first, if it matches")
    func attached() async throws {
        let (channel, network) = channel()
        let manager = channel.manager
        let endpoint = TestEndpoint(modifiers: [
            Fixture(.get, "other", status: 418), Fixture(.get, "thing", body: #"{"id":7}"#), Fixture(.post, "thing", status: 409),
        ])
        #expect(try await manager.request(endpoint: endpoint, type: Item.self) == Item(id: 7))
        #expect(await manager.attaching(Fixture(status: 503)).response(for: endpoint, as: Item.self).head?.status.code == 503)
        var only = channel
        only.environment.fixturesType = .attached
        #expect(try await only.manager.request(endpoint: endpoint, type: Item.self) == Item(id: 7))
        #expect(await only.manager.response(for: TestEndpoint(), as: Item.self).error?.label == "transport.fixture")
        #expect(network.requests.isEmpty)
    }

    @Test("fixture modifiers have no effect with a real transport")
    func ignored() async {
        let network = RecordingTransport(body: #"{"id":3}"#)
        let endpoint = TestEndpoint(modifiers: [Fixture(status: 500), Fixture.Scenario("nowhere")])
        #expect(await Channel.test(network).manager.response(for: endpoint, as: Item.self).error == nil)
        #expect(network.requests.count == 1)
    }

    @Test("a missing scenario is an error that names it and the available ones")
    func unknown() async {
        let (channel, _) = channel()
        let response = await channel.manager.attaching(Fixture.Scenario("orders-emtpy")).response(
            for: TestEndpoint(), as: Item.self)
        guard case .fixture(.notFound("orders-emtpy", _, let available)) = response.transportError else {
            Issue.record("\(response.result)"); return
        }
        #expect(available == ["orders", "orders-empty", "orders-error"])
        #expect(response.error?.description.contains("orders-empty") == true)
    }

    @Test("folders are scenarios; a name cannot leave their folder", arguments: ["../Fixtures/orders-empty", "..", ".", "", "/"])
    func folders(name: String) async throws {
        let (channel, _) = channel(.directory(SourceTree.path("Tests/Fixtures"), scenario: "orders-empty"))
        let manager = NetworkManager<TestEndpoint>(channel: channel)
        let orders = await manager.response(for: TestEndpoint("orders?page=1"), as: .text)
        #expect(try orders.value.contains("orders"))
        let outside = await manager.attaching(Fixture.Scenario(name)).response(for: TestEndpoint("orders"), as: .text)
        #expect(outside.error?.label == "transport.fixture")
    }

    @Test("an environment that must not be simulated has no fixtures: that is a problem of the channel, and no request is sent")
    func production() async {
        var (channel, network) = channel()
        channel.environment.isSimulated = false
        #expect(
            channel.problems == [
                "the environment 'test' has fixtures but is not simulated; set isSimulated, or remove the fixtures"
            ])
        #expect(await channel.manager.response(for: TestEndpoint(), as: Item.self).error?.label == "channel")
        #expect(network.requests.isEmpty)
    }

    @Test("an environment is switched to fixtures and back at run time")
    func switching() async {
        var (channel, network) = channel(.none)
        let real = channel.environment
        var simulated = real
        simulated.fixturesType = .scenarios(Self.scenarios, scenario: "orders-empty")
        let place = APIEnvironment.Switch(real)
        channel.environmentSwitch = place
        let manager = channel.manager
        #expect(await manager.response(for: TestEndpoint(), as: .nothing).head?.status.code == 200)
        place.environment = simulated
        #expect(await manager.response(for: TestEndpoint(), as: .nothing).head?.status.code == 404)
        place.environment = real
        #expect(await manager.response(for: TestEndpoint(), as: .nothing).head?.status.code == 200)
        #expect(network.requests.count == 2)
    }

    @Test("per test: a swapped channel uses the test's scenario, not its environment's")
    func perTest() async throws {
        let (channel, network) = channel()
        try await withChannel(channel, transport: .fixtures("orders-empty")) {
            let manager = NetworkManager<TestEndpoint>(channel: channel)
            let orders = try await manager.response(for: TestEndpoint("orders"), as: .text).value
            #expect(orders.contains("totalPages"))
            let other = await manager.attaching(Fixture.Scenario("giphy")).response(for: TestEndpoint("orders"), as: .text)
            #expect(other.error?.label == "transport.fixture", "another folder beside it has no orders")
        }
        #expect(network.requests.isEmpty)
    }
}
