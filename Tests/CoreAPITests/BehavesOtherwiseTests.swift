import TestSupport

@testable import CoreAPICore

/// Lines of the page "What behaves otherwise", and of the lists of that name on the pages "Coming from …", that the suites of the
/// features do not prove.
@Suite("What behaves otherwise", .closing, .timeLimit(.minutes(2)))
struct BehavesOtherwiseTests {
    private struct Odd: Endpoint {
        var path = "x"
        var method: HTTPMethod = .get
        var params: Parameters?
    }

    private func sent(_ endpoint: any Endpoint, change: (inout Channel) -> Void = { _ in }) async -> Request? {
        let transport = RecordingTransport()
        let channel = Channel.test("https://h.example/v1", transport: transport, change)
        _ = await channel.dispatcher.response(for: endpoint, as: .nothing)
        return transport.requests.first
    }

    @Test("no Accept-Language, Cache-Control and charset field is sent unless the channel has it")
    func unsentFields() async {
        for name in ["Accept-Language", "Cache-Control", "charset"].map({ HTTPField.Name($0)! }) {
            for encoding in [InputEncoding.json, .form] {
                let endpoint = TestEndpoint("x", .post, params: ["a": 1], encoding: encoding)
                #expect(await sent(endpoint)?.headers[name] == nil)
                #expect(await sent(endpoint) { $0.modifiers = [Header(name.rawName, "a")] }?.headers[name] == "a")
            }
        }
    }

    @Test("a call may take 300 s, and the silence of a server 30 s, unless the channel says otherwise")
    func timeouts() async {
        let (usual, own) = (await sent(TestEndpoint()), await sent(TestEndpoint()) { $0.modifiers = [Timeout(.seconds(7))] })
        #expect(usual?.timeout.total == .seconds(300) && usual?.timeout.idle == .seconds(30))
        #expect(own?.timeout.total == .seconds(7))
        #expect(await sent(TestEndpoint()) { $0.modifiers = [Timeout(idle: .seconds(60))] }?.timeout.idle == .seconds(60))
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
        #expect(try #require(try await complaint("final class Order: Decodable { var id = 0 }")).contains("Sendable"))
        for declaration in [
            "struct Order: Decodable { var id = 0 }", "final class Order: Decodable, @unchecked Sendable { var id = 0 }",
        ] { #expect(try await complaint(declaration) == nil) }
    }

    @Test("Nothing is cached on this side.")
    func cache() async throws {
        let server = try LoopbackServer.test { _ in .ok("x", headers: ["Cache-Control": "max-age=3600", "ETag": "\"1\""]) }
        let manager = server.manager
        for _ in 0..<2 { try await manager.request(endpoint: TestEndpoint()) }
        #expect(server.requests.count == 2 && server.requests.allSatisfy { $0.headers["if-none-match"] == nil })
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
        #expect(request?.headers[.init("X-A")!] == "1" && request?.url.query == nil)
    }

    @Test("A method is written in lower case.")
    func methods() async throws {
        func snippet(_ method: String) -> String {
            "import CoreAPI\nenum IP: Endpoint { case ip; var path: String { \"/ip\" }; var method: HTTPMethod { .\(method) } }"
        }
        #expect(try await Compiler.complaint(about: snippet("get")) == nil)
        #expect(try await Compiler.complaint(about: snippet("GET"))?.contains("has no member 'GET'") == true)
    }

    private struct Dated: Codable, Sendable, Equatable { var at: Date }

    @Test("A date in a body is ISO 8601.")
    func dates() async throws {
        let first = Dated(at: Date(timeIntervalSinceReferenceDate: 0))
        for (coder, body) in [
            (nil, #"{"at":"2001-01-01T00:00:00Z"}"#),
            (.json(dates: .deferredToDate, encodedDates: .deferredToDate), #"{"at":0}"#),
        ] as [(BodyCoder?, String)] {
            let transport = RecordingTransport(body: body)
            let channel = Channel.test(transport) { if let coder { $0.coder = coder } }
            let keep: POST<Dated, Dated> = POST("dated")
            #expect(try await channel.manager.request(keep(first)) == first)
            #expect(try transport.requests.first?.body.bytesInMemory() == Data(body.utf8))
        }
    }

    @Test("a date in the other form is rejected with the name of the option")
    func otherDates() async throws {
        for (coder, body) in [
            (BodyCoder.json, #"{"at":0}"#), (.json, #"{"at":1.5e9}"#), (.json(dates: .secondsSince1970), #"{"at":"2001-01-01"}"#),
            (.json(dates: .millisecondsSince1970), #"{"at":"0"}"#), (.json(dates: .deferredToDate), #"{"at":"0"}"#),
        ] {
            let channel = Channel.test(RecordingTransport(body: body)) { $0.coder = coder }
            let error = try #require(await channel.manager.response(for: TestEndpoint(), as: Dated.self).error)
            #expect(error.label == "decoding")
            #expect("\(error)".contains("at 'at'") && "\(error)".contains("`dates` of BodyCoder.json"), "\(error)")
        }
        let named = await Channel.test(RecordingTransport(body: #"{"at":true}"#)).manager
            .response(for: TestEndpoint(), as: Dated.self).error
        #expect(named.map { "\($0)".contains("BodyCoder") } == false, "no form of dates is a boolean")
    }

    @Test("A path may be a whole address only if the channel has no base URL.")
    func wholeAddress() async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"args": {"id": "1"}}"#) }
        let whole = GET<Void, JSONValue>("\(server.url)/get?id=1")
        let free = Channel.test("")
        #expect(try await free.manager.request(whole)["args"]?["id"]?.string == "1")
        #expect(try await free.manager.request(.get("\(server.url)/get"), as: .json)["args"]?["id"]?.string == "1")
        #expect(server.requests.count == 2)
        let bound = Channel.test("https://h.example")
        let error = try #require(await bound.manager.response(for: whole).error)
        #expect(error.label == "request.malformedPath" && "\(error)".contains("BaseURL.ignore"), "\(error)")
        #expect(try await bound.manager.attaching(BaseURL.ignore).request(whole)["args"]?["id"]?.string == "1")
        for (endpoint, label) in [
            // A base URL of another kind is one, too.
            (TestEndpoint(whole.path, baseURL: "https://h.example"), "request.malformedPath"),
            (TestEndpoint(whole.path, modifiers: [BaseURL("https://h.example")]), "request.malformedPath"),
            (TestEndpoint("ftp://h.example/x"), "request.unsupportedScheme"), (TestEndpoint("get"), "channel"),
        ] { #expect(await free.error(endpoint)?.label == label) }
        let simulated = free.with { $0.environment.isSimulated = true }
        #expect(await simulated.manager.response(for: whole).error?.label == "request.leavesEnvironment")
    }

    @Test("A static let has its method and path for a name.")
    func names() async throws {
        enum Orders: EndpointProvider {
            static let all: GET<Void, Void> = create("orders")
            static let place: POST<[Int], Void> = create("orders?key=s3cret")
            static let named: GET<Void, Void> = create("orders", name: "all")
            static let free = GET<Void, Void>("orders(1)")
            static let other = TypedEndpoint.delete("orders")
            static var last: GET<Void, Void> { create("orders/last") }
            static func one(_ id: Int) -> GET<Void, Void> { create("orders/\(id)") }
        }
        #expect(Orders.all.name == "Orders GET orders" && Orders.place.name == "Orders POST orders")
        #expect(Orders.named.name == "Orders.all")
        #expect(Orders.free.name == "Orders GET orders(1)" && Orders.other.description == "Orders DELETE orders")
        #expect(Orders.last.name == "Orders.last" && Orders.one(7).name == "Orders.one")
        #expect(GET<Void, Void>("orders", name: "Orders").name == "Orders")
        #expect(await sent(Orders.all)?.call.endpoint == "Orders GET orders")
    }

    @Test("the parameters of OPTIONS are its body, as in the designs")
    func options() async throws {
        for endpoint in [
            OPTIONS<[String: Int], Void>("x")(["a": 1]) as any Endpoint, TypedEndpoint(.options, "x", params: ["a": 1]),
        ] {
            let request = try #require(await sent(endpoint))
            #expect(request.url.query == nil && request.headers[.contentType] == "application/json")
        }
    }

    @Test("null as a query or form is nothing, as in the designs", arguments: [InputEncoding.query, .form])
    func null(encoding: InputEncoding) async throws {
        let endpoint = POST<JSONValue, Void>("x", encoding: encoding)
        let request = try #require(await sent(endpoint(.null)))
        #expect(request.url.query == nil)
        if case .bytes(let body) = request.body { #expect(body.isEmpty) }
        #expect(await sent(endpoint(["a": .null, "b": 1])) != nil)
        #expect(await sent(endpoint(.array([1]))) == nil, "a list has no names")
    }

    @Test("rawString is never nil.")
    func rawString() async {
        let manager = Channel.test(RecordingTransport(body: "")).manager
        let empty = await manager.response(for: TestEndpoint(), as: .data)
        let none = await manager.response(for: TestEndpoint("../x"), as: .data)
        #expect(empty.rawString == "" && none.rawString == "" && empty.head != nil && none.head == nil)
    }

    @Test("cancel() does not stop a retry manually.")
    func cancelling() async throws {
        let manager = Channel.test(RecordingTransport(statuses: [500, 200], body: #"{"id":7}"#)).manager
        let (responses, tell) = AsyncStream.makeStream(of: Response<Item>.self)
        let call = manager.response(for: TestEndpoint(), as: .decodable(Item.self)) { tell.yield($0) }
        for await first in responses {
            call.cancel()
            #expect(try await first.retry(max: 3).value == Item(id: 7))
            break
        }
        let other = await manager.response(for: TestEndpoint(), as: Item.self)
        #expect(await cancelled { try? await other.retry(max: 3) }?.error?.label == "cancelled")
    }

    @Test("A call has two log lines.")
    func logLines() async {
        let written = Shared<[String]>([])
        let lines = CoreNetworkLogger { line in written.change { $0.append(line) } }
        _ = await sent(TestEndpoint()) { $0.logger = lines }
        #expect(written.current.count == 2)
        _ = await sent(TestEndpoint()) { $0.logger = FunctionLogger { if case .finished = $0 { lines.log($0) } } }
        #expect(written.current.count == 3 && written.current.last?.contains("200") == true)
    }

    @Test("an enhancer's priority may be the type's, the instance's or an optional one")
    func instancePriorities() async {
        struct Own: RequestEnhancer {
            var priority: Priority
            let diary: Diary
            func enhance(_ request: inout Request) { diary.write("own") }
        }
        let diary = Diary()
        for priority in [Priority.low, .high] {
            _ = await sent(TestEndpoint()) {
                $0.enhancers = [Noting(name: "normal", diary: diary), Own(priority: priority, diary: diary)]
            }
        }
        #expect(diary.all.filter { !$0.hasPrefix("de") } == ["enhance normal", "own", "own", "enhance normal"])
    }

    private struct Staging: EnvironmentType {
        let name = "staging"
        let baseURL: String
        let shouldAllowInsecureConnections = true
    }

    private struct Laboratory: EnvironmentType {
        let name = "laboratory"
        let baseURL: String
        let allowsInsecureConnections = true
    }

    @Test("shouldAllowInsecureConnections allows clear text only.")
    func insecure() async throws {
        let clear = try LoopbackServer.test { _ in .ok() }
        let secure = try LoopbackServer.test(tls: ServerTLS()) { _ in .ok() }
        func error(_ environment: APIEnvironment) async -> String? {
            await closing(Channel(name: "test", environment: environment)).error()?.label
        }
        for type in [Staging(baseURL: clear.url), Laboratory(baseURL: clear.url)] as [any EnvironmentType] {
            #expect(await error(APIEnvironment(type)) == nil)
            #expect(await error(APIEnvironment(type, allowsInsecureConnections: false)) == "channel")
        }
        #expect(await error(APIEnvironment(TestHost(baseURL: clear.url))) == "channel")
        var environment = APIEnvironment(Staging(baseURL: secure.url))
        #expect(await error(environment) == "transport.tls")
        environment.serverTrustManager = ServerTrustManager(authorities: .pem(try #require(secure.tls).authorityPEM))
        #expect(await error(environment) == nil)
    }
}
