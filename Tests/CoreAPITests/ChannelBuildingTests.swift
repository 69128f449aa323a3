import TestSupport

@Suite("Channels as values")
struct ChannelBuildingTests {
    private struct Envelope: Decodable {
        let isSuccess: Bool
        let reason: String?
    }

    private struct Rejected: Error, Equatable {
        let reason: String
        let status: Int
    }

    private static let body = #"{"isSuccess":true,"result":{"id":7},"other":{"id":8},"id":9}"#

    private let shop = Channel(
        "Shop", "sells things",
        hosts: [
            .production: "https://api.shop.example", .staging: APIEnvironment(baseURL: "https://stage.shop.example"),
            .sandbox: .local("shop"),
        ]
    )
    .credential(.header("x-key", .environment("NETWORKERKIT_TEST_SHOP_KEY", sandbox: "sandbox-key")))
    .payload("result", error: Envelope.self) { envelope, head in
        envelope.isSuccess ? nil : Rejected(reason: envelope.reason ?? "", status: head.status.code)
    }
    .locale(Locale(identifier: "tr_TR"), icu: "x-locale", bcp47: "x-culture")

    private func sent(
        by channel: Channel, _ endpoint: any Endpoint = TypedEndpoint.get("items/7"), body: String = body
    ) async throws -> (response: Response<Item>, request: Request?) {
        let transport = RecordingTransport(body: body)
        let dispatcher = channel.with { $0.transport = transport }.dispatcher
        return (await dispatcher.response(for: endpoint, as: .decodable(Item.self)), transport.requests.first)
    }

    @Test("begin at the first host; another host has its own trust, and all other settings stay")
    func hosts() {
        #expect(shop.environment.name == "production" && !shop.environment.isSimulated && shop.problems.isEmpty)
        #expect(shop.hosts.map(\.key) == ["production", "staging", "sandbox"])
        let sandbox = shop.at(.sandbox)
        #expect(sandbox.environment.baseURL == "https://localhost:8443/shop" && sandbox.environment.isSimulated)
        #expect(sandbox.environment.serverTrustManager.authorities.summary.hasSuffix("sandbox-authority.pem"))
        #expect(sandbox.environment.commonHeaders["x-locale"] == "tr_TR")
        let staging = sandbox.at(.staging)
        #expect(staging.environment.baseURL == "https://stage.shop.example" && !staging.environment.isSimulated)
        #expect(staging.environment.serverTrustManager.authorities.summary == "the system's")
    }

    @Test("keep trust that was set manually at every host")
    func trust() {
        var ours = ServerTrustManager.system
        ours.minimumTLSVersion = .tls13
        let pinned = shop.with {
            $0.environment.serverTrustManager = ours
            $0.environment.insecureHosts = ["printer"]
        }
        for host in [Channel.HostName.staging, .sandbox, .production] {
            let environment = pinned.at(host).environment
            #expect(environment.serverTrustManager.minimumTLSVersion == .tls13, "\(host)")
            #expect(environment.insecureHosts == ["printer"])
        }
        #expect(pinned.at(.sandbox).at(.production).environment.serverTrustManager == ours)
    }

    @Test("keep each setting of trust by itself, and move no authority to or from the sandbox")
    func trustByPart() {
        let pins: PinSet = ["stage.shop.example": []]
        let table = Channel(
            "Shop",
            hosts: [
                .production: "https://api.shop.example",
                .staging: APIEnvironment(
                    baseURL: "https://stage.shop.example", serverTrustManager: ServerTrustManager(pins: pins)),
            ])
        let strict = table.with { $0.environment.serverTrustManager.minimumTLSVersion = .tls13 }
        let staging = strict.at(.staging).environment.serverTrustManager
        #expect(staging.pins == pins && staging.minimumTLSVersion == .tls13)

        let ours = shop.with { $0.environment.serverTrustManager.authorities = .pem("ours") }
        #expect(ours.at(.staging).environment.serverTrustManager.authorities == .pem("ours"))
        #expect(ours.at(.sandbox).environment.serverTrustManager.authorities.summary.hasSuffix("sandbox-authority.pem"))
        let sandbox = shop.at(.sandbox).with {
            $0.environment.serverTrustManager.authorities = .pem("sandbox")
            $0.environment.name = "mine"
        }
        #expect(sandbox.at(.production).environment.serverTrustManager.authorities == .system)

        #expect(table.at("typo").at(.staging).environment.serverTrustManager.pins == pins)
    }

    @Test("leave at a host what is its own: headers, and the cache policy")
    func settingsOfHost() {
        var staging = APIEnvironment(baseURL: "https://stage.shop.example")
        staging.commonHeaders = ["X-Stage": "1"]
        staging.specificHeaders = ["orders": ["X-Stage-Orders": "1"]]
        staging.cachePolicy = .noStore
        let there = Channel("Shop", hosts: [.staging: staging, .production: "https://api.shop.example"]).with {
            $0.environment.commonHeaders["X-Own"] = "1"
        }
        #expect(there.environment.name == "staging" && there.environment.type.name == "staging")
        let production = there.at(.production).environment
        #expect(production.commonHeaders == ["X-Own": "1"] && production.cachePolicy == .protocolDefault)
        #expect(production.specificHeaders["orders"]?.isEmpty == true)
        let back = there.at(.production).at(.staging).environment
        #expect(back.commonHeaders == ["X-Stage": "1", "X-Own": "1"] && back.cachePolicy == .noStore)
    }

    @Test("take trust and headers from where the switch is")
    func trustOfSwitch() {
        let pins: PinSet = ["shop.example": []]
        let place = APIEnvironment.Switch(shop.environment)
        place.update {
            $0.serverTrustManager.pins = pins
            $0.commonHeaders["x-place"] = "switch"
        }
        let environment = shop.with { $0.environmentSwitch = place }.at(.staging).environment
        #expect(environment.serverTrustManager.pins == pins && environment.commonHeaders["x-place"] == "switch")
    }

    @Test("reject every call to an unknown host, and name it")
    func unknownHost() async throws {
        let (response, request) = try await sent(by: shop.at("moon"))
        #expect(request == nil)
        #expect(response.error?.label == "channel" && response.error?.description.contains("'moon'") == true)
    }

    @Test("send the sandbox's key to the sandbox, and given credentials to any host")
    func credentials() async throws {
        #expect(try await sent(by: shop.at(.sandbox)).request?.header("x-key") == "sandbox-key")
        let given: Channel.Credentials = ["NETWORKERKIT_TEST_SHOP_KEY": "s3cret"]
        #expect(try await sent(by: shop.at(.staging, credentials: given)).request?.header("x-key") == "s3cret")
        #expect(try await sent(by: shop.at(.sandbox, credentials: given)).request?.header("x-key") == "s3cret")
        #expect(!"\(given) \(String(reflecting: given))".contains("s3cret"))
        var dump = ""
        Swift.dump(shop.at(.staging, credentials: given).credentials, to: &dump)
        #expect(!dump.contains("s3cret") && dump.contains("NETWORKERKIT_TEST_SHOP_KEY"))
    }

    @Test(
        "without a credential send no request, and name the variable", arguments: [nil, [:], ["NETWORKERKIT_TEST_SHOP_KEY": ""]])
    func noCredential(variables: [String: String]?) async throws {
        let (response, request) = try await sent(by: shop.at(.staging, credentials: variables.map { Channel.Credentials($0) }))
        #expect(request == nil)
        #expect((response.error?.underlyingError as? Credential.Missing)?.variable == "NETWORKERKIT_TEST_SHOP_KEY")
    }

    @Test("send a credential to no other origin")
    func otherOrigin() async throws {
        let endpoint = TestEndpoint(baseURL: "https://elsewhere.example")
        let (_, request) = try await sent(by: shop.at(.staging, credentials: ["NETWORKERKIT_TEST_SHOP_KEY": "k"]), endpoint)
        #expect(request?.url.host == "elsewhere.example" && request?.header("x-key") == nil)
    }

    @Test("put a credential into a header or a query item")
    func forms() async throws {
        let secret = Credential.environment("NETWORKERKIT_TEST_SHOP_KEY", sandbox: "a b")
        let channel = Channel("Forms", hosts: [.sandbox: .local("forms")])
        #expect(try await sent(by: channel.credential(.bearer(secret))).request?.headers[.authorization] == "Bearer a b")
        let query = try await sent(by: channel.credential(.query("key", secret)), TypedEndpoint.get("x", query: ["q": 1]))
        #expect(query.request?.url.target == "/forms/x?q=1&key=a%20b")
    }

    @Test("find the value of every response below the payload, unless the endpoint has its own path")
    func payload() async throws {
        let channel = shop.at(.sandbox)
        #expect(try await sent(by: channel).response.value == Item(id: 7))
        var endpoint = TypedEndpoint.get("x")
        endpoint.keyPath = "other"
        #expect(try await sent(by: channel, endpoint).response.value == Item(id: 8))
        #expect(try await sent(by: Channel("Plain", hosts: [.sandbox: .local("plain")])).response.value == Item(id: 9))
    }

    @Test("decode the envelope of an error, also in a success")
    func errors() async throws {
        let (response, _) = try await sent(by: shop.at(.sandbox), body: #"{"isSuccess":false,"reason":"sold out"}"#)
        #expect(response.error?.app(Rejected.self) == Rejected(reason: "sold out", status: 200))
    }

    @Test("log to swift-log unless told otherwise")
    func logger() {
        #expect(shop.logger is CoreNetworkLogger)
        #expect(shop.with { $0.logger = nil }.logger == nil)
    }
}

extension Request { fileprivate func header(_ name: String) -> String? { headers.first { $0.name.rawName == name }?.value } }

@Suite("An interactor's call")
struct InteractorCallTests {
    @MainActor private final class Output { var items: [Result<Item, APIClientError>] = [] }

    @MainActor private final class Interactor: ChannelNetworker<TestEndpoint> {
        weak var output: Output?

        func handle(_ result: Result<Item, APIClientError>) {
            output?.items.append(result)
            onResult?()
        }

        var onResult: (() -> Void)?

        func fetch() { request(TestEndpoint()) { $0.handle($1) } }
    }

    @MainActor
    private func result(of channel: Channel, _ output: Output) async {
        let interactor = Interactor(channel)
        interactor.output = output
        await withCheckedContinuation { continuation in
            interactor.onResult = { continuation.resume() }
            interactor.fetch()
        }
    }

    @Test("reaches the interactor on the main actor, once")
    @MainActor func reaches() async throws {
        let output = Output()
        await result(of: .test(RecordingTransport(body: #"{"id":7}"#)), output)
        #expect(try output.items.map { try $0.get() } == [Item(id: 7)])
    }

    @Test("does not keep the interactor alive, and does not call it after its end")
    @MainActor func weakly() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let held = RecordingTransport { request in
            arrived.yield()
            for await _ in gate {}
            return .answer(to: request, body: #"{"id":1}"#)
        }
        let output = Output()
        weak var gone: Interactor?
        func begin() {
            let interactor = Interactor(.test(held))
            interactor.output = output
            interactor.fetch()
            gone = interactor
        }
        begin()
        for await _ in arrivals { break }
        #expect(gone == nil)
        open.finish()
        await result(of: .test(RecordingTransport(body: #"{"id":2}"#)), output)
        #expect(try output.items.map { try $0.get() } == [Item(id: 2)])
    }
}
