import TestSupport

@Suite("Environment")
struct EnvironmentTests {
    private func header(_ request: Request, _ name: String) -> String? {
        request.headers.first { $0.name.canonicalName == name.lowercased() }?.value
    }

    @Test("headers of a group win over the common ones and lose to the channel's")
    func specificHeaders() async throws {
        let transport = RecordingTransport()
        var channel = Channel.test(transport)
        channel.environment.commonHeaders = ["X-A": "common", "X-B": "common", "X-C": "common"]
        channel.environment.specificHeaders = ["orders": ["X-B": "orders", "X-C": "orders"]]
        channel.modifiers = [Header("X-C", "channel")]
        try await channel.manager.request(endpoint: TestEndpoint(modifiers: [APIEnvironment.HeaderGroup("orders")]))
        try await channel.manager.request(endpoint: TestEndpoint(modifiers: [APIEnvironment.HeaderGroup("unknown")]))
        let names = ["X-A", "X-B", "X-C"]
        #expect(
            transport.requests.map { request in names.map { header(request, $0) ?? "" } } == [
                ["common", "orders", "channel"], ["common", "common", "channel"],
            ])
    }

    @Test("merging puts another's headers on top")
    func merging() {
        let environment = APIEnvironment(
            TestHost(baseURL: "https://h.example"), commonHeaders: ["X-A": "1", "x-b": "1"], specificHeaders: ["g": ["X-C": "1"]])
        let merged = environment.merging(commonHeaders: ["X-B": "2"], specificHeaders: ["g": ["X-D": "2"], "h": ["X-E": "2"]])
        #expect(merged.commonHeaders["X-A"] == "1")
        #expect(merged.commonHeaders.elements.map(\.value) == ["1", "2"])
        #expect(merged.specificHeaders["g"]?.elements.map(\.name) == ["X-C", "X-D"])
        #expect(merged.specificHeaders["h"]?["X-E"] == "2")
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
        let rejected = await manager.response(for: TestEndpoint(), as: .nothing)
        #expect(transport.requests.map(\.url.host) == ["one.example", "two.example"])
        #expect(rejected.error?.label == "channel")
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
        struct Adding: RequestInterceptor {
            func adapt(_ request: inout Request) async throws { try request.setHeader("X-A", "1") }
        }
        struct Found: Error, Equatable {}
        let transport = RecordingTransport(body: "error")
        let told = Shared(0)
        let dispatcher = CommonDispatcher(
            environment: APIEnvironment(TestHost(baseURL: "https://h.example")),
            resultHandler: ResultHandler { _ in told.change { $0 += 1 } },
            errorFilter: ErrorFilter { $0.data == Data("error".utf8) ? Found() : nil }, interceptor: Adding(),
            transport: transport)
        #expect(await dispatcher.response(for: TestEndpoint(), as: .data).error?.app() == Found())
        #expect(told.current == 1)
        #expect(transport.requests.first.map { header($0, "X-A") } == "1")
    }

    @Test("made of a name and a base URL, and merged with another one")
    func conveniences() {
        var first = APIEnvironment("tool", baseURL: "https://tool.example", isSimulated: true, fixturesType: .attached)
        #expect(first.name == "tool" && first.isSimulated && first.type.baseURL == "https://tool.example")
        first.commonHeaders = ["X-A": "1", "X-B": "1"]
        var second = APIEnvironment("other", baseURL: "https://other.example")
        second.commonHeaders = ["X-B": "2"]
        second.specificHeaders = ["orders": ["X-C": "3"]]
        let merged = first.merging(second)
        #expect(merged.baseURL == "https://tool.example")
        #expect(merged.commonHeaders.elements.map(\.value) == ["1", "2"])
        #expect(merged.specificHeaders.keys.sorted() == ["orders"])
    }
}
