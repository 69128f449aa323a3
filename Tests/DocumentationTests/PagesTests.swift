import TestSupport

@Suite("The documentation's pages")
struct PagesTests {
    /// Its Swift needs what `networker new` writes: GeneratedCodeTests compile and run both.
    private static let tutorial = "Tutorial.md"

    @Test("of every module, and the README, show only Swift from these files, which compile and run")
    func samples() throws {
        let files = try ["README.md"] + Documentation.catalogs()
        #expect(files.contains { $0.hasSuffix("CoreAPITransfers.md") } && files.contains { $0.hasSuffix("Symbols/Channel.md") })
        for file in files where !file.hasSuffix("/\(Self.tutorial)") {
            // A manifest belongs to another package; GettingStartedTests checks the names of its products.
            for block in try Documentation.swift(in: file) where !block.hasPrefix("// Package.swift") {
                #expect(try Documentation.isCompiled(block), "not compiled anywhere, \(file):\n\(block)")
            }
        }
    }

    /// `Benchmarks/results.json`, as far as pages cite it.
    private struct Record: Decodable {
        struct Scenario: Decodable {
            let label: String
            let load: String
            let rows: [Row]
        }
        struct Row: Decodable {
            let client: String
            let ratio: Double
            let cpuRatio: Double
            let ratioToAHC: Double?
        }
        let scenarios: [Scenario]

        static func read() throws -> Record {
            try JSONDecoder().decode(Record.self, from: Data(Documentation.text("Benchmarks/results.json").utf8))
        }

        func row(_ label: String, _ client: String) throws -> Row {
            try #require(scenarios.first { $0.label == label }?.rows.first { $0.client == client }, "\(label), \(client)")
        }
    }

    /// Whether a text is the figure, rounded to as many decimals.
    private func isRounded(_ text: some StringProtocol, _ figure: Double) -> Bool {
        let decimals = text.split(separator: ".").dropFirst().first?.count ?? 0
        return String(format: "%.\(decimals)f", figure) == text
    }

    @Test("cite the figures of Benchmarks/results.json, and their commit")
    func figures() throws {
        let record = try Record.read()
        let beside = try Documentation.text("\(Documentation.catalog)/BesideOthers.md").replacing("\n", with: " ")
        let rows = beside.matches(of: /\| [^|]*at a time[^|]* \| (\d\.\d+) \| (\d\.\d+) \| (\d\.\d+) \|/).map(\.output)
        #expect(rows.count == 4)
        for (label, row) in zip(["s1", "s2", "s3", "s7"], rows) {
            for (client, cell) in [("kit", row.1), ("urlsession", row.2), ("ahc", row.3)] {
                let ratio = try record.row(label, client).ratio
                #expect(isRounded(cell, ratio), "\(label), \(client): the page has \(cell), the record \(ratio)")
            }
        }
        let decoded = try #require(beside.firstMatch(of: /completes ([\d.]+) times as many calls/)?.output.1)
        #expect(isRounded(decoded, try #require(try record.row("s5", "kit").ratioToAHC)))
        let threads = try Documentation.text("\(Documentation.catalog)/ThreadsAndLimits.md").replacing("\n", with: " ")
        let sharing = /reached ([\d.]+) of.* and ([\d.]+) with a thread each.* took ([\d.]+) times.* and ([\d.]+) times/
        let cited = try #require(threads.firstMatch(of: sharing)?.output)
        let (flooded, apart) = (try record.row("s8-flooded", "kit"), try record.row("s8-apart", "kit"))
        #expect(isRounded(cited.1, flooded.ratio) && isRounded(cited.2, apart.ratio), "\(cited.0)")
        #expect(isRounded(cited.3, flooded.cpuRatio) && isRounded(cited.4, apart.cpuRatio), "\(cited.0)")
        for (page, labels) in [(beside, ["s1", "s2", "s3", "s5", "s7"]), (threads, ["s8-flooded", "s8-apart"])] {
            let commit = try #require(page.firstMatch(of: /RESULTS\.md`, commit (\w+)/)?.output.1)
            for scenario in record.scenarios where labels.contains(scenario.label) {
                #expect(scenario.load.hasSuffix("commit \(commit)"), "\(scenario.label)")
            }
        }
    }

    @Test("are all linked from the README")
    func linked() throws {
        let readme = try Documentation.text("README.md")
        for page in try Documentation.pages() {
            #expect(readme.contains("\(Documentation.catalog)/\(page)"), "\(page) is not linked")
        }
    }

    @Test("Channels: one as a value")
    func value() async throws {
        let transport = FixtureTransport([
            Fixture(.get, "breads", body: #"{"result": [{"id": 7}]}"#),
            Fixture(.get, "cakes", body: #"{"error": {"code": "closed"}}"#),
        ])
        try await withChannel(.bakery, transport: transport) {
            let manager = BakeryNetworker<Never>().networkManager
            let breads = try await manager.request(.get("breads"), as: [Product].self)
            #expect(breads == [Product(id: 7)])
            let closed = await manager.response(for: TypedEndpoint.get("cakes"), as: .nothing)
            #expect(closed.error?.app(BakeryError.self) == BakeryError(code: "closed"))
        }
    }

    @Test("Which hook do I want? A modifier and its enhancer")
    func hooks() async throws {
        var channel = Channel.shop(.production)
        channel.enhancers = [TenantEnhancer()]
        let seen = Seen()
        channel.logger = FunctionLogger { event in
            if case .started(let attempt) = event { seen.change { $0 = attempt.request.headers[.init("X-Tenant")!] ?? "" } }
        }
        channel.transport = FixtureTransport([Fixture(body: #"{"id": 7}"#)])
        let manager = NetworkManager<ShopEndpoint>(channel: channel).attaching(Tenant(name: "north"))
        _ = try await manager.request(endpoint: .product(7), type: Product.self)
        #expect(seen.text == "north")
    }

    @Test("Channels: another environment at run time")
    func channels() async throws {
        let place = APIEnvironment.Switch(APIEnvironment(ShopHost.production))
        var channel = Channel.shop(.production)
        channel.environmentSwitch = place
        channel.logger = CoreNetworkLogger(subsystem: "com.shop.app", category: "shop")
        let manager = NetworkManager<ShopEndpoint>(channel: channel)
        place.environment = APIEnvironment(
            ShopHost.simulated,
            fixturesType: .scenarios(
                ["sold-out": [Fixture(.get, "products/7", status: 409, body: #"{"code": "sold-out"}"#)]], scenario: "sold-out"))
        let error = await manager.response(for: ShopEndpoint.product(7), as: Product.self).error
        #expect(error?.app(ShopError.self)?.code == "sold-out")
        channel.redaction = Redaction(["plate"], showing: ["bookToken"])
        #expect(channel.redaction.hides("plate") && !channel.redaction.hides("bookToken"))
    }

    @Test("Testing offline: scenarios, and a fixture of the call's own")
    func offline() async throws {
        let transport = FixtureTransport(
            scenarios: [
                "in-stock": [Fixture(.get, "products/7", body: #"{"id": 7}"#, delay: .milliseconds(5))],
                "offline": [Fixture(.get, "products/7", failure: .cannotConnect(host: "api.shop.example", reason: "simulated"))],
            ], scenario: "in-stock")
        try await withChannel(.shop(.production), transport: transport) {
            let manager = NetworkManager<ShopEndpoint>(channel: .shop(.production))
            let product = try await manager.request(endpoint: .product(7), type: Product.self)
            #expect(product.id == 7)
            let offline = await manager.attaching(Fixture.Scenario("offline"))
                .response(for: ShopEndpoint.product(7), as: Product.self)
            #expect(offline.error?.label == "transport.cannotConnect")
            let broken = await manager.attaching(Fixture(body: #"{"id": "#))
                .response(for: ShopEndpoint.product(7), as: Product.self)
            #expect(broken.error?.label == "decoding")
        }
    }

    @Test("Testing offline: a channel that logs is silenced for a test")
    func silenced() async throws {
        let transport = FixtureTransport([Fixture(.get, "breads", status: 503)])
        #expect(Channel.bakery.logger is CoreNetworkLogger)
        await withChannel(.bakery, transport: transport, change: { $0.logger = nil }) {
            let rejected = await BakeryNetworker<Never>().networkManager.response(for: TypedEndpoint.get("breads"), as: .nothing)
            #expect(rejected.error != nil)
        }
    }

    @Test("Trust: a set of pins")
    func trust() throws {
        let text = """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt
            6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==
            -----END PUBLIC KEY-----
            """
        let backupPin = try Certificate.pin(ofPublicKeyPEM: text)
        let certificate = (pin: "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", der: Data())
        var pins = PinSet([
            "api.shop.example": [certificate.pin, backupPin], "**.cdn.shop.example": [certificate.pin, backupPin],
        ])
        pins.expiry = Date(timeIntervalSinceNow: 365 * 86_400)
        var environment = APIEnvironment(ShopHost.production)
        environment.serverTrustManager = ServerTrustManager(pins: pins)
        let channel = Channel(name: "shop", environment: environment)
        #expect(channel.problems.isEmpty && channel.warnings.isEmpty)
        #expect(environment.serverTrustManager.pins.pins(for: "a.b.cdn.shop.example").count == 2)
    }

    @Test("Errors: the app's own, and messages", arguments: [409, 500])
    func errors(status: Int) async throws {
        let seen = Seen()
        let show = { (text: String) in seen.change { $0 = text } }
        var channel = Channel.shop(.production)
        channel.interceptors = []
        channel.transport = FixtureTransport([Fixture(status: status, body: status == 409 ? #"{"code": "sold-out"}"# : "down")])
        channel.errorFilter = ErrorFilter.rejection(ShopError.self)
            .localized(["transport": "Bağlantı kurulamadı."], default: "Bir şeyler ters gitti.")
        let manager = NetworkManager<ShopEndpoint>(channel: channel)
        let response = await manager.response(for: ShopEndpoint.product(7), as: Product.self)
        if let error = response.error {
            if let shop: ShopError = error.app() {
                show(shop.code)
            } else if error.isCancelled {
                return
            } else {
                show(error.localizedDescription)
            }
        }
        #expect(status == 409 ? seen.text == "sold-out" : seen.text == "Bir şeyler ters gitti.")
    }
}

/// The output of a sample, from any thread.
final class Seen: Sendable {
    private let state = Mutex("")
    var text: String { state.withLock { $0 } }
    func change(_ change: @Sendable (inout String) -> Void) { state.withLock { change(&$0) } }
}
