import TestSupport

@testable import CoreAPICore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One test for each line of the page "What behaves otherwise" and of the lists of that name on the pages "Coming from …". Each
/// has its line's first sentence as its name.
@Suite("What behaves otherwise", .closing, .timeLimit(.minutes(2)))
struct BehavesOtherwiseTests {
    private struct Order: Decodable, Sendable, Equatable { let id: Int }

    private struct Odd: Endpoint {
        var path = "x"
        var method: HTTPMethod = .get
        var params: Parameters?
    }

    private func sent(_ endpoint: any Endpoint, change: (inout Channel) -> Void = { _ in }) async -> Request? {
        let transport = RecordingTransport()
        var channel = Channel.test("https://h.example/v1", transport: transport)
        change(&channel)
        _ = await CommonDispatcher(channel: channel).response(for: endpoint, as: .nothing)
        return transport.requests.first
    }

    private func error(status: Int, body: String = "{}", change: (inout Channel) -> Void = { _ in }) async -> String? {
        var channel = Channel.test("https://h.example", transport: RecordingTransport(status: status, body: body))
        change(&channel)
        return await channel.manager().response(for: TestEndpoint(), as: Order.self).error?.label
    }

    // MARK: - On all pages

    @Test("Cookies are off.")
    func cookies() async throws {
        let server = try LoopbackServer.test { _ in .ok(headers: ["Set-Cookie": "a=1"]) }
        var channel = Channel.test(server.url)
        for _ in 0..<2 { try await channel.manager().request(endpoint: TestEndpoint()) }
        channel.cookies = CookieJar()
        for _ in 0..<2 { try await channel.manager().request(endpoint: TestEndpoint()) }
        #expect(server.requests.map { $0.headers["cookie"] } == [nil, nil, nil, "a=1"])
    }

    @Test("No Accept-Language is sent.")
    func language() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        var channel = Channel.test(server.url)
        try await channel.manager().request(endpoint: TestEndpoint())
        channel.modifiers = [Header("Accept-Language", "tr")]
        try await channel.manager().request(endpoint: TestEndpoint())
        #expect(server.requests.map { $0.headers["accept-language"] } == [nil, "tr"])
    }

    @Test("A model has to be Sendable.")
    func sendable() async throws {
        func complaint(_ declaration: String) async throws -> String? {
            try await Compiler.complaint(
                about: """
                    import CoreAPI
                    \(declaration)
                    func orders(_ manager: NetworkManager<Never>, _ endpoint: GET<Void, Order>) async throws -> Order {
                        try await manager.request(endpoint)
                    }
                    """)
        }
        let rejected = try #require(try await complaint("final class Order: Decodable { var id = 0 }"))
        #expect(rejected.contains("Sendable"))
        for declaration in [
            "struct Order: Decodable { var id = 0 }", "final class Order: Decodable, @unchecked Sendable { var id = 0 }",
        ] {
            #expect(try await complaint(declaration) == nil)
        }
    }

    @Test("Nothing is cached on this side.")
    func cache() async throws {
        let server = try LoopbackServer.test { _ in .ok("x", headers: ["Cache-Control": "max-age=3600", "ETag": "\"1\""]) }
        let channel = Channel.test(server.url)
        for _ in 0..<2 { try await channel.manager().request(endpoint: TestEndpoint()) }
        #expect(server.requests.count == 2 && server.requests.allSatisfy { $0.headers["if-none-match"] == nil })
    }

    @Test("Clear text is rejected.")
    func clearText() async {
        func label(_ change: (inout Channel) -> Void) async -> String? {
            var channel = Channel.test("http://h.example", transport: RecordingTransport(body: #"{"id":1}"#))
            channel.environment.allowsInsecureConnections = false
            change(&channel)
            return await channel.manager().response(for: TestEndpoint(), as: Order.self).error?.label
        }
        #expect(await label { _ in } == "channel")
        #expect(await label { $0.environment.allowsInsecureConnections = true } == nil)
        #expect(await label { $0.environment.insecureHosts = ["h.example"] } == nil)
    }

    @Test("A redirect takes only harmless fields to another origin.")
    func redirects() async throws {
        let other = try LoopbackServer.start { _ in .ok() }
        let target = other.url
        let server = try LoopbackServer.start { _ in .redirect(to: target, status: 307) }
        defer {
            server.close()
            other.close()
        }
        var channel = Channel.test(server.url)
        let endpoint = TestEndpoint(headers: ["X-Auth-Key": "k", "X-Partner": "p", "Accept": "text/plain"])
        try await channel.manager().request(endpoint: endpoint)
        channel.fieldsForOtherOrigins = ["x-partner"]
        try await channel.manager().request(endpoint: endpoint)
        #expect(server.requests.allSatisfy { $0.headers["x-auth-key"] == "k" && $0.headers["x-partner"] == "p" })
        #expect(other.requests.map { $0.headers["x-auth-key"] } == [nil, nil])
        #expect(other.requests.map { $0.headers["x-partner"] } == [nil, "p"])
        #expect(other.requests.allSatisfy { $0.headers["accept"] == "text/plain" })
    }

    @Test("A body has at most 64 MiB, and a call 300 s.")
    func bounds() async throws {
        #expect(Limits().responseBodySize == 64 << 20)
        #expect(await sent(TestEndpoint())?.timeout.total == .seconds(300))
        #expect(await sent(TestEndpoint()) { $0.modifiers = [Timeout(.seconds(7))] }?.timeout.total == .seconds(7))
        let server = try LoopbackServer.test { _ in .ok(String(repeating: "x", count: 1_001)) }
        for (limit, label) in [(1_000, "transport.responseTooLarge"), (1_001, nil)] as [(Int, String?)] {
            var channel = Channel.test(server.url)
            channel.limits.responseBodySize = limit
            #expect(await channel.manager().response(for: TestEndpoint(), as: .data).error?.label == label)
            await channel.close()
        }
    }

    @Test("The kit gives up on a silent server after 30 s.")
    func silence() async throws {
        #expect(await sent(TestEndpoint())?.timeout.idle == .seconds(30))
        #expect(await sent(TestEndpoint()) { $0.modifiers = [Timeout(idle: .seconds(60))] }?.timeout.idle == .seconds(60))
        #expect(URLSessionConfiguration.default.timeoutIntervalForRequest == 60)
    }

    @Test("Secrets are hidden in logs and errors.")
    func secrets() async throws {
        let request = try #require(
            await sent(TestEndpoint(headers: ["Authorization": "Bearer s3cret", "X-Planted": "s3cret"])) {
                $0.redaction = Redaction(["x-planted"])
            })
        #expect(!request.cURLDescription().contains("s3cret"))
        #expect(request.cURLDescription(revealingSecrets: true).contains("s3cret"))
    }

    @Test("localizedDescription speaks to a user.")
    func userText() async throws {
        let channel = Channel.test("https://h.example", transport: RecordingTransport(status: 404))
        let error = try #require(await channel.manager().response(for: TestEndpoint(), as: .nothing).error)
        #expect(error.localizedDescription == "The server could not find this (404).")
        #expect(error.description.contains("https://h.example/thing") && "\(error)" == error.description)
    }

    // MARK: - Requests

    @Test("A base URL and a path meet in one slash.")
    func slash() async {
        for path in ["x", "/x"] { #expect(await sent(TestEndpoint(path))?.url.string == "https://h.example/v1/x") }
        struct Whole: Endpoint {
            var url: String { "https://other.example//y" }
            var path: String { "" }
            var method: HTTPMethod { .get }
        }
        #expect(await sent(Whole())?.url.string == "https://other.example//y")
    }

    @Test("The parameters of a POST are a JSON body.")
    func body() async {
        #expect(await sent(Odd(method: .post, params: ["a": 1]))?.headers[.contentType] == "application/json")
        let form = await sent(TestEndpoint("x", .post, params: ["a": 1], encoding: .form))
        #expect(form?.headers[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test("Arrays and booleans are written in OpenAPI's way.")
    func arrays() async {
        let endpoint = Odd(params: ["a": [1, 2], "b": true])
        #expect(await sent(endpoint)?.url.query == "a=1&a=2&b=true")
        #expect(await sent(endpoint) { $0.query = .alamofire }?.url.query == "a%5B%5D=1&a%5B%5D=2&b=1")
    }

    @Test("A nested dictionary of several types is Parameters.")
    func nested() async {
        let literal: Parameters = ["filter": ["from": 1, "to": "x"] as Parameters]
        #expect(await sent(Odd(params: literal))?.url.query == "filter%5Bfrom%5D=1&filter%5Bto%5D=x")
        let known: [String: JSONValue] = ["from": 1, "to": "x"]
        #expect(await sent(Odd(params: Parameters(["filter": known])))?.url.query == "filter%5Bfrom%5D=1&filter%5Bto%5D=x")
    }

    class Base: Endpoint, @unchecked Sendable {
        var path: String { "x" }
        var method: HTTPMethod { .get }
        var headers: Headers { [:] }
    }

    final class Derived: Base, @unchecked Sendable {
        override var headers: Headers { ["X-A": "1"] }
        var params: Parameters? { ["a": 1] }
    }

    @Test("A member that only a subclass declares is not read.")
    func subclasses() async {
        let request = await sent(Derived())
        #expect(request?.headers[.init("X-A")!] == "1")
        #expect(request?.url.query == nil)
    }

    @Test("The endpoint's header wins over the channel's.")
    func headers() async {
        let request = await sent(TestEndpoint(headers: ["X-A": "endpoint"])) {
            $0.environment.commonHeaders = ["X-A": "environment"]
            $0.modifiers = [Header("X-A", "channel")]
        }
        #expect(request?.headers[values: .init("X-A")!] == ["endpoint"])
    }

    @Test("An endpoint's base URL wins over the environment's.")
    func baseURL() async {
        let endpoint = TestEndpoint(baseURL: "https://other.example")
        #expect(await sent(endpoint)?.url.host == "other.example")
        #expect(await sent(endpoint) { $0.environment.overridesBaseURLs = true }?.url.host == "h.example")
    }

    @Test("A base URL keeps its path.")
    func basePath() async {
        #expect(await sent(TestEndpoint("/ip"))?.url.path == "/v1/ip")
    }

    @Test("The parameters of a GET are its query.")
    func query() async {
        let request = await sent(Odd(params: ["a": 1]))
        #expect(request?.url.query == "a=1" && request?.body.isEmpty == true)
        #expect(await sent(TestEndpoint("x", params: ["a": 1], encoding: .json))?.url.query == nil)
    }

    @Test("A method is written in lower case.")
    func methods() async throws {
        func snippet(_ method: String) -> String {
            "import CoreAPI\nenum IP: Endpoint { case ip; var path: String { \"/ip\" }; var method: HTTPMethod { .\(method) } }"
        }
        #expect(try await Compiler.complaint(about: snippet("get")) == nil)
        #expect(try await Compiler.complaint(about: snippet("GET"))?.contains("has no member 'GET'") == true)
    }

    @Test("A CONNECT is rejected.")
    func connect() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let channel = Channel.test(server.url)
        let tunnel = CONNECT<Void, Void>("x")
        #expect(await channel.manager().response(for: tunnel).error?.label == "transport.unsupported")
        #expect(server.requests.isEmpty)
    }

    // MARK: - Answers

    @Test("A status outside 2xx is a failure.")
    func statuses() async {
        for status in [304, 404, 503] {
            #expect(await error(status: status, body: #"{"id":1}"#) == "verification.unacceptableStatus.\(status)")
            #expect(
                await error(status: status, body: #"{"id":1}"#) { $0.modifiers = [StatusCodeResponseVerifier(100..<600)] } == nil)
        }
    }

    @Test("Of several status verifiers the nearest counts.")
    func verifiers() async {
        let nearest = StatusCodeResponseVerifier(200)
        #expect(
            await error(status: 200, body: #"{"id":1}"#) { $0.modifiers = [StatusCodeResponseVerifier(201).always, nearest] }
                != nil)
        let response = await Channel.test("https://h.example", transport: RecordingTransport()).manager()
            .attaching(StatusCodeResponseVerifier(201)).attaching(nearest).response(for: TestEndpoint(), as: .nothing)
        #expect(response.error == nil)
    }

    @Test("An empty answer is a failure where a value is expected.")
    func empty() async throws {
        #expect(await error(status: 200, body: "") == "verification.emptyBody")
        let manager = Channel.test("https://h.example", transport: RecordingTransport(status: 200, body: "")).manager()
        #expect(try await manager.request(endpoint: TestEndpoint(), type: Order?.self) == nil)
        struct Nothing: Decodable {}
        let done = Channel.test("https://h.example", transport: RecordingTransport(status: 204, body: "")).manager()
        _ = try await done.request(endpoint: TestEndpoint(), type: Nothing.self)
    }

    @Test("An enhancer sees the body's bytes.")
    func enhancers() async throws {
        struct Unwrapping: RequestEnhancer {
            func deenhance(_ response: inout Response<Data>) {
                response = response.map { try JSONEncoder().encode(JSONValue(parsing: $0).object?["args"] ?? .null) }
            }
        }
        var channel = Channel.test("https://h.example", transport: RecordingTransport(body: #"{"args":{"id":7}}"#))
        channel.enhancers = [Unwrapping()]
        #expect(try await channel.manager().request(endpoint: TestEndpoint(), type: Order.self) == Order(id: 7))
    }

    @Test("A filter or handler of your own type is wrapped.")
    func wrapped() async {
        struct Empty: ErrorFiltering {
            func filter(_ response: inout Response<Data>) throws {
                if response.head?.status == .notFound { response.result = .success(Data(#"{"id":0}"#.utf8)) }
            }
            func translate(_ error: APIClientError) -> (any Error)? { nil }
        }
        struct Counting: ResultHandling {
            let count: Shared<Int>
            func handle(_ response: Response<Void>) async throws { count.change { $0 += 1 } }
        }
        let count = Shared(0)
        #expect(
            await error(status: 404) {
                $0.errorFilter = ErrorFilter(Empty())
                $0.resultHandler = ResultHandler(Counting(count: count))
            } == nil)
        #expect(count.current == 1)
    }

    // MARK: - Repeated calls

    @Test("A call has at most ten attempts.")
    func attempts() async {
        struct Always: RequestInterceptor {
            func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult { .retry }
        }
        for limit in [nil, 3] as [Int?] {
            let transport = RecordingTransport(status: 503)
            var channel = Channel.test("https://h.example", transport: transport)
            channel.interceptors = [Always()]
            if let limit { channel.limits.attempts = limit }
            _ = await channel.manager().response(for: TestEndpoint(), as: .nothing)
            #expect(transport.requests.count == limit ?? 10)
        }
    }

    @Test("NoInternetErrorHandler looks at the connection and not at a status of 599.")
    func noInternet() async {
        func attempts(_ handler: any ErrorHandler, _ answer: @escaping @Sendable (Request) async -> Response<Data>) async -> Int {
            let transport = RecordingTransport(answer)
            var channel = Channel.test("https://h.example", transport: transport)
            channel.errorHandler = handler
            _ = await channel.manager().response(for: TestEndpoint(), as: .nothing)
            return transport.requests.count
        }
        let handler = NoInternetErrorHandler(repetitions: 1, pause: .zero)
        let lost: @Sendable (Request) async -> Response<Data> = {
            Response(request: $0, result: .failure(.transport(.cannotConnect(host: "h", reason: ""), APIClientError.Context($0))))
        }
        #expect(await attempts(handler, lost) == 2)
        #expect(await attempts(handler) { .answer(to: $0, status: 599) } == 1)
        let byStatus = StatusCodeErrorHandler(599) { $0.attempts.count < 2 ? .retry : .doNotRetry }
        #expect(await attempts(byStatus) { .answer(to: $0, status: 599) } == 2)
    }

    @Test("RequestTimeoutErrorHandler repeats only what may be repeated.")
    func timeouts() async {
        for (method, headers, expected) in [
            (HTTPMethod.get, Headers(), 2), (.post, Headers(), 1), (.post, ["Idempotency-Key": "k"], 2),
        ] {
            let transport = RecordingTransport(status: 408)
            var channel = Channel.test("https://h.example", transport: transport)
            channel.errorHandler = RequestTimeoutErrorHandler(repetitions: 1)
            _ = await channel.manager().response(for: TestEndpoint("x", method, headers: headers), as: .nothing)
            #expect(transport.requests.count == expected)
        }
    }

    // MARK: - Environments, pins and clients

    @Test("Pinning without pins is a warning.")
    func noPins() {
        var channel = Channel.test("https://h.example")
        #expect(channel.warnings.isEmpty)
        channel.environment.serverTrustManager = ServerTrustManager(isPinningActive: true)
        #expect(channel.warnings.count == 1)
        let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let pins: PinSet = ["h.example": [pin, pin.replacing("AAA=", with: "AAE=")]]
        channel.environment.serverTrustManager = ServerTrustManager(pins: pins, isPinningActive: true)
        #expect(channel.warnings.isEmpty)
    }

    @Test("A simulated environment is never left.")
    func simulated() async {
        var channel = Channel.test("https://h.example", transport: CurlTransport())
        channel.environment.isSimulated = true
        channel.environment.baseURL = "https://127.0.0.1:9"
        let response = await channel.manager().response(
            for: TestEndpoint("https://other.example/x", modifiers: [BaseURL.ignore]), as: .nothing)
        #expect(response.error?.label == "request.leavesEnvironment", "\(response.result)")
    }

    @Test("Sample data is no part of a production app.")
    func sampleData() {
        var channel = Channel.test("https://h.example")
        channel.environment.fixturesType = .scenarios(["a": [Fixture(body: "{}")]], scenario: "a")
        #expect(channel.problems.contains { $0.contains("has fixtures but is not simulated") })
        channel.environment.isSimulated = true
        #expect(channel.problems.isEmpty)
    }

    @Test("An environment is a value.")
    func environments() async {
        let place = APIEnvironment.Switch(APIEnvironment("h", baseURL: "https://h.example"))
        let copy = place.environment
        place.update { $0.commonHeaders["X"] = "1" }
        #expect(copy.commonHeaders["X"] == nil && place.environment.commonHeaders["X"] == "1")
        #expect(await sent(TestEndpoint()) { $0.environmentSwitch = place }?.headers[.init("X")!] == "1")
    }

    @Test("A certificate's public key is pinned.")
    func certificates() throws {
        struct Host: PinnedCertificate {
            let evaluatorKey = "h.example"
            let files: [Certificate.File]
        }
        let server = try LoopbackServer.test(tls: ServerTLS()) { _ in .ok() }
        let pem = try #require(server.tls).authorityPEM
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).pem")
        try Data(pem.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let key = try Certificate(pem: pem).publicKey
        #expect(
            try Host(files: [Certificate.File(path: file.path)]).pins.pins == ["h.example": [Certificate.pin(ofPublicKey: key)]])
    }

    @Test("A header of your own type is a HeaderModifier.")
    func ownHeader() async {
        struct Tenant: HeaderModifier {
            let name = "X-Tenant"
            let value: String
        }
        #expect(await sent(TestEndpoint(modifiers: [Tenant(value: "north")]))?.headers[.init("X-Tenant")!] == "north")
        #expect(await sent(TestEndpoint(modifiers: [Header("X-Tenant", "north")]))?.headers[.init("X-Tenant")!] == "north")
    }

    @Test("A client is held and not subclassed.")
    func client() async throws {
        final class Orders: Sendable {
            let client: APIClient
            init(_ transport: any Transport) { client = APIClient(transport: transport) }
            func first() async throws -> Order {
                try await client.perform(
                    APIRequest(TestEndpoint(), environment: APIEnvironment("h", baseURL: "https://h.example")))
            }
        }
        #expect(try await Orders(RecordingTransport(body: #"{"id":1}"#)).first() == Order(id: 1))
    }
}
