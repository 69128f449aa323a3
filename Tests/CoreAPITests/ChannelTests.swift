import TestSupport

@testable import CoreAPICore

@Suite("A channel")
struct ChannelTests {
    struct Page: Codable, Equatable, Sendable { var page: Int }

    @Test("with pinning off is a problem outside debug builds, unless it may be simulated, and the log has it")
    func pinningOff() async throws {
        var channel = Channel.test(RecordingTransport())
        channel.environment.serverTrustManager.pins = [
            "h.example": [
                "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE=",
            ]
        ]
        channel.environment.isSimulated = false
        #expect(channel.findProblems(isDebugBuild: false).isEmpty && channel.warnings.isEmpty)
        channel.environment.serverTrustManager.isPinningActive = false
        #expect(channel.findProblems(isDebugBuild: false).count == 1)
        #expect(channel.findProblems(isDebugBuild: true).isEmpty)
        #expect(channel.warnings.contains { $0.contains("pinning is switched off") })
        channel.environment.isSimulated = true
        #expect(channel.findProblems(isDebugBuild: false).isEmpty)
    }

    @Test("lists its problems")
    func problems() {
        var channel = Channel.test(RecordingTransport())
        #expect(channel.problems.isEmpty)
        channel.name = ""
        channel.limits.attempts = 0
        channel.limits.connections = -1
        channel.environment.baseURL = "https://"
        channel.environment.serverTrustManager.pins = ["h.example": ["sha256/short", "md5/AAAA"], "other.example": []]
        let text = channel.problems.joined(separator: "\n")
        for part in [
            "no name", "limits.attempts", "limits.connections", "host is empty", "sha256/short", "md5/AAAA", "empty list",
        ] { #expect(text.contains(part), "\(part) is missing in\n\(text)") }
    }

    @Test("can be compared with another, secrets redacted")
    func differences() {
        let channel = Channel.test("https://a.example", transport: RecordingTransport())
        #expect(channel.differences(from: channel).isEmpty)
        var other = channel
        other.environment.baseURL = "https://b.example"
        other.environment.commonHeaders = ["X-Api-Key": "s3cret"]
        other.limits.attempts = 3
        other.cookies = CookieJar()
        let differences = channel.differences(from: other)
        #expect(differences.map(\.field) == ["environment.baseURL", "environment.commonHeaders", "cookies", "limits"])
        #expect(differences.map(\.description).contains("cookies: off ≠ on"))
        #expect(!"\(differences)".contains("s3cret"))
    }

    @Test("shows no secret of a base URL, whether a request could have it or not")
    func secretsOfBaseURLs() {
        for url in ["https://user:s3cret@shop.example", "https://shop.example/?token=s3cret"] {
            let channel = Channel("Shop", hosts: ["production": APIEnvironment(baseURL: url)])
            let texts = "\(channel.differences(from: Channel("Shop", hosts: [:]))) \(channel.problems)"
            #expect(texts.contains("shop.example") && !texts.contains("s3cret"), "\(texts)")
        }
    }

    @Test("is made by the initialiser that teams know")
    func knownInitialiser() async throws {
        let transport = RecordingTransport(body: #"{"page":1}"#)
        let manager = NetworkManager<TestEndpoint>(
            transport: transport, isSSLPinningActive: true, host: TestHost(baseURL: "https://h.example"), networkLogger: nil,
            interceptor: Adapting { try $0.setHeader("X-A", "1") })
        let page: Page = try await manager.request(endpoint: TestEndpoint("x"))
        #expect(page.page == 1)
        #expect(transport.requests.first?.url.string == "https://h.example/x")
        #expect(transport.requests.first?.headers.count == 2)
    }

    class TestNetworker: Networker {
        var networkManager: NetworkManager<TestEndpoint>
        init(_ channel: Channel) { networkManager = NetworkManager(channel: channel) }
    }

    private func fixture(_ page: Int) -> FixtureTransport { FixtureTransport([Fixture(.get, "x", body: #"{"page":\#(page)}"#)]) }

    private func page(_ channel: Channel) async -> Int? {
        try? await TestNetworker(channel).networkManager.request(endpoint: TestEndpoint("x"), type: Page.self).page
    }

    @Test("is swapped for one test and for no parallel test")
    func swap() async throws {
        let channel = Channel.test("https://h.example", name: "swapped", transport: fixture(-1))
        await each(of: 50, atOnce: 50) { index in
            await withChannel(channel, transport: fixture(index)) {
                for _ in 0..<5 {
                    await Task.yield()
                    #expect(await page(channel) == index)
                }
                async let child = page(channel)
                #expect(await child == index)
            }
            #expect(await page(channel) == -1)
        }
    }

    @Test("a swap does not affect another channel")
    func swapOther() async throws {
        let one = Channel.test("https://h.example", name: "one", transport: fixture(1))
        let two = Channel.test("https://h.example", name: "two", transport: fixture(2))
        await withChannel(one, transport: fixture(3)) {
            await withChannel(two, transport: fixture(4)) {
                #expect(await page(one) == 3)
                #expect(await page(two) == 4)
            }
            #expect(await page(two) == 2)
        }
    }

    @Test("shares no token with its swap")
    func swapState() async throws {
        var channel = Channel.test("https://h.example", name: "tokens", transport: RecordingTransport())
        channel.attemptMiddleware = [BearerAuthentication(token: "first") { _ in "second" }]
        let rejecting = RecordingTransport { request in
            .answer(to: request, status: request.headers[.authorization] == "Bearer first" ? 401 : 200)
        }
        try await withChannel(channel, transport: rejecting) { try await channel.manager.request(endpoint: TestEndpoint("x")) }
        try await channel.manager.request(endpoint: TestEndpoint("x"))
        #expect(rejecting.requests.map { $0.headers[.authorization] } == ["Bearer first", "Bearer second"])
        let outside = try #require(channel.transport as? RecordingTransport).requests
        #expect(outside.map { $0.headers[.authorization] } == ["Bearer first"])
    }
}
