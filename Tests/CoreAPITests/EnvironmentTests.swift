import TestSupport

@Suite("Environment")
struct EnvironmentTests {
    @Test("headers of a group win over the common ones and lose to the channel's")
    func specificHeaders() async throws {
        let transport = RecordingTransport()
        var channel = Channel.test(transport)
        channel.environment.commonHeaders = ["X-A": "common", "X-B": "common", "X-C": "common"]
        channel.environment.specificHeaders = ["orders": ["X-B": "orders", "X-C": "orders"]]
        channel.modifiers = [Header("X-C", "channel")]
        try await channel.manager.request(endpoint: TestEndpoint(modifiers: [APIEnvironment.HeaderGroup("orders")]))
        try await channel.manager.request(endpoint: TestEndpoint(modifiers: [APIEnvironment.HeaderGroup("unknown")]))
        let sent = transport.requests.map { request in ["X-A", "X-B", "X-C"].map { request.headers[.init($0)!] } }
        #expect(sent == [["common", "orders", "channel"], ["common", "common", "channel"]])
    }

    @Test("merging puts another's headers on top")
    func merging() {
        let environment = APIEnvironment(
            TestHost(baseURL: "https://h.example"), commonHeaders: ["X-A": "1", "x-b": "1"], specificHeaders: ["g": ["X-C": "1"]])
        var other = APIEnvironment("other", baseURL: "https://other.example", isSimulated: true, fixturesType: .attached)
        #expect(other.name == "other" && other.isSimulated && other.type.baseURL == "https://other.example")
        (other.commonHeaders, other.specificHeaders) = (["X-B": "2"], ["g": ["X-D": "2"], "h": ["X-E": "2"]])
        for merged in [
            environment.merging(commonHeaders: other.commonHeaders, specificHeaders: other.specificHeaders),
            environment.merging(other),
        ] {
            #expect(merged.baseURL == "https://h.example" && merged.commonHeaders["X-A"] == "1")
            #expect(merged.commonHeaders.elements.map(\.value) == ["1", "2"])
            #expect(merged.specificHeaders["g"]?.elements.map(\.name) == ["X-C", "X-D"])
            #expect(merged.specificHeaders["h"]?["X-E"] == "2")
        }
    }

    @Test("is switched at run time for existing networkers")
    func switched() async throws {
        let transport = RecordingTransport()
        var channel = Channel.test("https://unused.example", transport: transport)
        let place = APIEnvironment.Switch(APIEnvironment(TestHost(baseURL: "https://one.example")))
        channel.environmentSwitch = place
        let manager = channel.manager
        try await manager.request(endpoint: TestEndpoint())
        place.environment = APIEnvironment(TestHost(baseURL: "https://two.example"))
        try await manager.request(endpoint: TestEndpoint())
        place.environment = APIEnvironment(TestHost(baseURL: "http://three.example"))
        #expect(await manager.response(for: TestEndpoint(), as: .nothing).error?.label == "channel")
        #expect(transport.requests.map(\.url.host) == ["one.example", "two.example"])
    }

    /// Reads the switch once more in its deinit.
    private final class Farewell: EnvironmentType {
        let name = "farewell"
        let baseURL = "https://old.example"
        let heard: Shared<[String]>
        let place: APIEnvironment.Switch
        init(_ place: APIEnvironment.Switch, _ heard: Shared<[String]>) { (self.place, self.heard) = (place, heard) }
        deinit {
            let url = place.environment.baseURL
            heard.change { $0.append(url) }
        }
    }

    @Test("a switched environment may use the switch while it is deinitialized, after any kind of replacement")
    func farewell() {
        let (heard, next) = (Shared<[String]>([]), APIEnvironment(TestHost(baseURL: "https://new.example")))
        let place = APIEnvironment.Switch(next)
        place.environment = APIEnvironment(Farewell(place, heard))
        place.environment = next
        #expect(heard.current == ["https://new.example"])
        place.environment = APIEnvironment(Farewell(place, heard))
        place.environment.type = TestHost(baseURL: "https://new.example")
        #expect(heard.current.count == 2)
        place.environment = APIEnvironment(Farewell(place, heard))
        place.update { $0 = next }
        #expect(heard.current.count == 3)
    }

    @Test("and a few hooks are enough for a dispatcher")
    func dispatcher() async throws {
        let transport = RecordingTransport(body: "error")
        let told = Shared(0)
        let dispatcher = CommonDispatcher(
            environment: APIEnvironment(TestHost(baseURL: "https://h.example")),
            resultHandler: ResultHandler { _ in told.change { $0 += 1 } },
            errorFilter: ErrorFilter { $0.data == Data("error".utf8) ? Trouble(code: 1) : nil },
            interceptor: Adapting { try $0.setHeader("X-A", "1") }, transport: transport)
        #expect(await dispatcher.response(for: TestEndpoint(), as: .data).error?.app() == Trouble(code: 1))
        #expect(told.current == 1)
        #expect(transport.requests.first?.headers[.init("X-A")!] == "1")
    }
}
