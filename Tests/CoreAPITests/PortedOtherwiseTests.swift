import TestSupport

@testable import CoreAPICore

/// Further lines of the lists "What behaves otherwise" on the pages "Coming from …", as in BehavesOtherwiseTests.swift.
@Suite("What behaves otherwise in ported code", .closing, .timeLimit(.minutes(1)))
struct PortedOtherwiseTests {
    private func sent(_ endpoint: any Endpoint, change: (inout Channel) -> Void = { _ in }) async -> Request? {
        let transport = RecordingTransport()
        var channel = Channel.test("https://h.example/v1", transport: transport)
        change(&channel)
        _ = await CommonDispatcher(channel: channel).response(for: endpoint, as: .nothing)
        return transport.requests.first
    }

    private struct Dated: Codable, Sendable, Equatable { var at: Date }

    @Test("A date in a body is ISO 8601.")
    func dates() async throws {
        let first = Dated(at: Date(timeIntervalSinceReferenceDate: 0))
        for (change, body) in [
            ({ _ in }, #"{"at":"2001-01-01T00:00:00Z"}"#),
            ({ $0.coder = .json(dates: .deferredToDate, encodedDates: .deferredToDate) }, #"{"at":0}"#),
        ] as [((inout Channel) -> Void, String)] {
            let transport = RecordingTransport(body: body)
            var channel = Channel.test("https://h.example", transport: transport)
            change(&channel)
            let keep: POST<Dated, Dated> = POST("dated")
            #expect(try await channel.manager().request(keep, first) == first)
            guard case .bytes(let data)? = transport.requests.first?.body else { Issue.record("nothing was sent"); return }
            #expect(String(decoding: data, as: UTF8.self) == body)
        }
    }

    @Test("a date in the other form is rejected with the name of the option")
    func otherDates() async throws {
        for (coder, body) in [
            (BodyCoder.json, #"{"at":0}"#), (.json, #"{"at":1.5e9}"#), (.json(dates: .secondsSince1970), #"{"at":"2001-01-01"}"#),
            (.json(dates: .millisecondsSince1970), #"{"at":"0"}"#), (.json(dates: .deferredToDate), #"{"at":"0"}"#),
        ] {
            var channel = Channel.test("https://h.example", transport: RecordingTransport(body: body))
            channel.coder = coder
            let error = try #require(await channel.manager().response(for: TestEndpoint(), as: Dated.self).error)
            #expect(error.label == "decoding")
            #expect("\(error)".contains("at 'at'") && "\(error)".contains("`dates` of BodyCoder.json"), "\(error)")
        }
        let named = await Channel.test("https://h.example", transport: RecordingTransport(body: #"{"at":true}"#)).manager()
            .response(for: TestEndpoint(), as: Dated.self).error
        #expect(named.map { "\($0)".contains("BodyCoder") } == false, "no form of dates is a boolean")
    }

    @Test("A path may be a whole address only if the channel has no base URL.")
    func wholeAddress() async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"args": {"id": "1"}}"#) }
        let whole = GET<Void, JSONValue>("\(server.url)/get?id=1")
        let free = Channel.test("")
        #expect(try await free.manager().request(whole)["args"]?["id"]?.string == "1")
        #expect(try await free.manager().request(.get("\(server.url)/get"), as: .json)["args"]?["id"]?.string == "1")
        #expect(server.requests.count == 2)
        let bound = Channel.test("https://h.example")
        let error = try #require(await bound.manager().response(for: whole).error)
        #expect(error.label == "request.malformedPath" && "\(error)".contains("BaseURL.ignore"), "\(error)")
        #expect(try await bound.manager().attaching(BaseURL.ignore).request(whole)["args"]?["id"]?.string == "1")
        // A base URL of another kind is one, too.
        for other in [
            TestEndpoint(whole.path, baseURL: "https://h.example"),
            TestEndpoint(whole.path, modifiers: [BaseURL("https://h.example")]),
        ] {
            #expect(await free.manager().response(for: other, as: .nothing).error?.label == "request.malformedPath")
        }
        #expect(
            await free.manager().response(for: TestEndpoint("ftp://h.example/x"), as: .nothing).error?.label
                == "request.unsupportedScheme")
        #expect(await free.manager().response(for: TestEndpoint("get"), as: .nothing).error?.label == "channel")
        var simulated = free
        simulated.environment.isSimulated = true
        #expect(await simulated.manager().response(for: whole).error?.label == "request.leavesEnvironment")
        for channel in [free, bound, simulated] { await channel.close() }
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

    @Test("Text without a charset is UTF-8.")
    func latin1() async throws {
        let transport = RecordingTransport {
            Response(
                request: $0, head: ResponseHead(status: .ok, headers: [.contentType: "text/plain"]), data: Data([0xE9]),
                result: .success(Data([0xE9])))
        }
        let response = await Channel.test("https://h.example", transport: transport).manager()
            .response(for: TestEndpoint(), as: .data)
        #expect(response.rawString == "\u{FFFD}")
        #expect(String(data: response.data, encoding: .isoLatin1) == "é")
    }

    @Test("rawString is never nil.")
    func rawString() async {
        let manager = Channel.test("https://h.example", transport: RecordingTransport(body: "")).manager()
        let empty = await manager.response(for: TestEndpoint(), as: .data)
        let none = await manager.response(for: TestEndpoint("../x"), as: .data)
        #expect(empty.rawString == "" && none.rawString == "")
        #expect(empty.head != nil && none.head == nil)
    }

    @Test("cancel() does not stop a manual retry.")
    func cancelling() async throws {
        let transport = RecordingTransport(statuses: [500, 200], body: #"{"id":7}"#)
        let manager = Channel.test("https://h.example", transport: transport).manager()
        let (responses, tell) = AsyncStream.makeStream(of: Response<Item>.self)
        let call = manager.response(for: TestEndpoint(), as: Item.self) { tell.yield($0) }
        for await first in responses {
            call.cancel()
            #expect(try await first.retry(max: 3).value == Item(id: 7))
            break
        }
        let other = await manager.response(for: TestEndpoint(), as: Item.self)
        let stopped = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try? await other.retry(max: 3)
        }.value
        #expect(stopped?.error?.label == "cancelled")
    }

    @Test("No charset field is sent.")
    func charset() async {
        let name = HTTPField.Name("charset")!
        for encoding in [InputEncoding.json, .form] {
            let endpoint = TestEndpoint("x", .post, params: ["a": 1], encoding: encoding)
            #expect(await sent(endpoint)?.headers[name] == nil)
            #expect(await sent(endpoint) { $0.modifiers = [Header("charset", "utf-8")] }?.headers[name] == "utf-8")
        }
    }

    @Test("Two base URLs of one priority are an error.")
    func baseURLs() async {
        let two = [BaseURL("https://a.example"), BaseURL("https://b.example")]
        #expect(await sent(TestEndpoint(modifiers: two)) == nil)
        let higher = [BaseURL("https://a.example"), BaseURL("https://b.example", priority: .high)]
        #expect(await sent(TestEndpoint(modifiers: higher))?.url.host == "b.example")
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

    @Test("The kit's own enhancers have the priority 1,000.")
    func priorities() async {
        struct Looking: RequestEnhancer {
            let priority: Priority
            let found: Shared<Bool>
            func enhance(_ request: inout Request) {
                found.change { [isThere = request.headers[.accept] != nil] in $0 = isThere }
            }
        }
        for (priority, isThere) in [(Priority.custom(250), true), (.core.more, false)] {
            let found = Shared(!isThere)
            _ = await sent(TestEndpoint(headers: ["Accept": "a/b"])) {
                $0.enhancers = [Looking(priority: priority, found: found)]
            }
            #expect(found.current == isThere)
        }
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

    @Test("No Cache-Control is sent.")
    func cacheControl() async {
        #expect(await sent(TestEndpoint())?.headers[.cacheControl] == nil)
        #expect(await sent(TestEndpoint()) { $0.environment.cachePolicy = .revalidate }?.headers[.cacheControl] == "no-cache")
    }

    @Test("A filter's default error is a function.")
    func defaultError() async {
        struct Unknown: Error {}
        struct Filter: ErrorFiltering {
            func filter(_ response: inout Response<Data>) throws {}
            func translate(_ error: APIClientError) -> (any Error)? { nil }
        }
        var channel = Channel.test("https://h.example", transport: RecordingTransport(status: 500))
        channel.errorFilter = ErrorFilter(Filter()).defaulting { _ in Unknown() }
        #expect(await channel.manager().response(for: TestEndpoint(), as: .nothing).error?.app(Unknown.self) != nil)
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
        let clear = try LoopbackServer.start { _ in .ok() }
        let secure = try LoopbackServer.start(tls: ServerTLS()) { _ in .ok() }
        defer { clear.close(); secure.close() }
        func error(_ environment: APIEnvironment) async -> String? {
            let channel = Channel(name: "test", environment: environment)
            defer { Task { await channel.close() } }
            return await channel.manager().response(for: TestEndpoint(), as: .nothing).error?.label
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
