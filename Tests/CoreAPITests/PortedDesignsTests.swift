import TestSupport

/// Problems of teams that port code from the four designs that the kit unifies; this code compiled to something else before.
@Suite("Ported designs", .closing, .timeLimit(.minutes(1)))
struct PortedDesignsTests {
    @Test("a target that isolates to the main actor gets the message of the pages, unless its model is nonisolated")
    func defaultIsolation() async throws {
        func complaint(_ declaration: String) async throws -> String? {
            try await Compiler.complaint(
                about: """
                    import CoreAPI
                    \(declaration) Bread: Decodable { var id = 0 }
                    func bread(_ manager: NetworkManager<Never>) async throws -> Bread {
                        try await manager.request(.get("bread"), as: Bread.self)
                    }
                    """, flags: ["-default-isolation", "MainActor"])
        }
        let message =
            "main actor-isolated conformance of 'Bread' to 'Decodable' cannot satisfy conformance requirement for "
            + "a 'Sendable' type parameter"
        let rejected = try #require(try await complaint("struct"))
        #expect(rejected.contains(message), "\(rejected)")
        #expect(try await complaint("nonisolated struct") == nil)
    }

    @Test("a custom encoding is called without parameters, too; the kit's own then write no body")
    func encodingWithoutParameters() async throws {
        let transport = RecordingTransport()
        let manager = Channel.test(transport).manager
        let invoice = InputEncoding("an invoice") { parameters, request in
            #expect(parameters.isAbsent)
            request.body = .bytes(Data("invoice".utf8))
        }
        try await manager.request(endpoint: TestEndpoint("a", .post, encoding: invoice))
        for encoding in [InputEncoding.query, .body, .json, .form, .raw] {
            try await manager.request(endpoint: TestEndpoint("a", .post, encoding: encoding))
        }
        #expect(transport.requests.map(\.bodyText) == ["invoice", nil, nil, nil, nil, nil])
    }

    @Test("an environment that may be simulated is never left by a base URL, an absolute address, an interceptor or a switch")
    func simulated() async throws {
        let sandbox = try LoopbackServer.test { _ in .ok() }
        let production = try LoopbackServer.test { _ in .ok() }
        var channel = Channel.test(sandbox) { $0.environment.isSimulated = true }
        let manager = channel.manager
        try await manager.request(endpoint: TestEndpoint("a", .post, baseURL: production.url))
        try await manager.request(endpoint: TestEndpoint("b", modifiers: [BaseURL(production.url, priority: .max)]))
        #expect(sandbox.requests.map(\.path) == ["/a", "/b"])
        func isLeft(_ channel: Channel, _ endpoint: any Endpoint = TestEndpoint()) async -> Bool {
            await channel.dispatcher.response(for: endpoint, as: .nothing).error?.label == "request.leavesEnvironment"
        }
        #expect(await isLeft(channel, TestEndpoint("\(production.url)/c", modifiers: [BaseURL.ignore])))
        #expect(await channel.error(TestEndpoint("\(sandbox.url)/c", modifiers: [BaseURL.ignore])) == nil)
        let url = try HTTPURL("\(production.url)/d")
        #expect(await isLeft(channel.with { $0.interceptors = [Adapting { $0.url = url }] }))
        let simulated = channel.environment
        var real = simulated
        real.isSimulated = false
        let place = APIEnvironment.Switch(real)
        let switched = channel.with { $0.environmentSwitch = place }.manager
        place.environment = simulated
        try await switched.request(endpoint: TestEndpoint("e", baseURL: production.url))
        // Neither without a base URL, nor if its rule prefers its own base URL and an endpoint has a whole address.
        #expect(await isLeft(channel.with { $0.environment.baseURL = "" }, TestEndpoint("f", baseURL: production.url)))
        channel.environment = real
        channel.environment.overridesBaseURLs = true
        #expect(await isLeft(channel, Whole(url: "\(production.url)/g")))
        #expect(await channel.dispatcher.response(for: Whole(url: "\(sandbox.url)/g"), as: .nothing).error == nil)
        #expect(production.requests.isEmpty)
    }

    @Test("an endpoint with a whole URL is sent there")
    func wholeAddress() async throws {
        let whole = Whole(url: "https://whole.example/a?b=1")
        let transport = RecordingTransport()
        let dispatcher = CommonDispatcher(channel: .test(transport))
        _ = try await dispatcher.request(whole, as: .nothing)
        _ = try await dispatcher.request(whole.attaching(Header("X", "1")), as: .nothing)
        #expect(transport.requests.map(\.url.string) == [whole.url, whole.url])
    }

    @Test("an environment that many tasks change in place loses no change")
    func switchedInPlace() async {
        let place = APIEnvironment.Switch(APIEnvironment("h", baseURL: "https://h.example"))
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for index in 0..<25 {
                        place.environment.commonHeaders["X-\(task)-\(index)"] = "1"
                        place.update { $0.commonHeaders["X-\(task)-\(index + 25)"] = "1" }
                    }
                }
            }
        }
        #expect(place.environment.commonHeaders.elements.count == 400)
    }

    @Test("a dispatcher and a client made inside withChannel are swapped as well")
    func swapped() async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"id":7}"#) }
        // No server listens there: a call that is not swapped fails.
        let channel = Channel.test("http://127.0.0.1:9/v1", name: "SHOP")
        let environment = APIEnvironment(TestHost(baseURL: "http://127.0.0.1:9"), allowsInsecureConnections: true)
        let request = APIRequest(TestEndpoint("orders/7"), environment: environment, as: Item.self)
        func makeCalls() async throws {
            let item = ResponseDecoding<Item>.decodable()
            #expect(try await CommonDispatcher(channel: channel).request(TestEndpoint("orders/7"), as: item).id == 7)
            #expect(try await CommonDispatcher(environment: environment).request(TestEndpoint("orders/7"), as: item).id == 7)
            #expect(try await APIClient().perform(request).id == 7)
            let manager = NetworkManager<TestEndpoint>(host: "shop.example", networkLogger: nil)
            #expect(try await manager.request(endpoint: TestEndpoint("orders/7"), type: Item.self).id == 7)
            let copy = CommonDispatcher(channel: channel).isolatedCopy()
            #expect(try await copy.request(TestEndpoint("orders/7"), as: item).id == 7)
        }
        let fixtures = FixtureTransport([Fixture(.get, "orders/7", body: #"{"id":7}"#)])
        try await withChannel(channel, transport: fixtures) { try await makeCalls() }
        try await withChannel(channel, server: server) { try await makeCalls() }
        #expect(await CommonDispatcher(channel: channel).response(for: TestEndpoint(), as: .nothing).error != nil)
    }

    @Test("an isolated copy of a channel keeps a stub, and has its own connections over the kit's transport")
    func isolatedCopy() async throws {
        let stub = RecordingTransport()
        let dispatcher = CommonDispatcher(channel: .test("http://127.0.0.1:9", transport: stub))
        _ = try await dispatcher.isolatedCopy().request(TestEndpoint(), as: .nothing)
        #expect(stub.requests.count == 1)
        let own = CommonDispatcher(channel: .test("http://127.0.0.1:9"))
        #expect(own.channel.transport as? CurlTransport !== own.isolatedCopy().channel.transport as? CurlTransport)
        let given = CommonDispatcher(channel: .test("http://127.0.0.1:9", transport: CurlTransport()))
        #expect(given.channel.transport as? CurlTransport !== given.isolatedCopy().channel.transport as? CurlTransport)
    }

    @Test("a token's refresh skips its own authentication and no other hook")
    func refresh() async throws {
        let server = try LoopbackServer.test { $0.headers["authorization"] == "Bearer new" ? .ok() : .status(401) }
        let tokens = Shared(0)
        let answering = try LoopbackServer.test { _ in tokens.next() == 0 ? .status(503) : .json(#""new""#) }
        var channel = Channel.test(server.url)
        channel.interceptors = [Adapting { try $0.setHeader("X-Tenant", "north") }, RetryPolicy(base: .milliseconds(1))]
        channel.attemptMiddleware = [
            BearerAuthentication(token: "old") { response in
                try await NetworkManager<TestEndpoint>(channel: response.call.channel)
                    .request(endpoint: TestEndpoint("fresh", baseURL: answering.url), type: String.self)
            }
        ]
        try await channel.manager.request(endpoint: TestEndpoint("orders"))
        #expect(answering.requests.count == 2)
        #expect(answering.requests.allSatisfy { $0.headers["authorization"] == nil })
        #expect(answering.requests.allSatisfy { $0.headers["x-tenant"] == "north" })
    }

    @Test("a task that outlives its refresh gets the token")
    func leftBehind() async throws {
        let server = try LoopbackServer.test { request in
            request.path == "/token" ? .json(#""new""#) : request.headers["authorization"] == "Bearer new" ? .ok() : .status(401)
        }
        let left = Shared<Task<String?, Never>?>(nil)
        let refreshed = try Gate()
        let bearerAuthentication = BearerAuthentication(token: "old") { response in
            let manager = NetworkManager<TestEndpoint>(channel: response.call.channel)
            left.change {
                $0 = Task {
                    try? await refreshed.waitUntilOpen()
                    return await manager.response(for: TestEndpoint("later"), as: .nothing).error?.label
                }
            }
            return try await manager.request(endpoint: TestEndpoint("token"), type: String.self)
        }
        let channel = Channel.test(server.url) { $0.attemptMiddleware = [bearerAuthentication] }
        try await channel.manager.request(endpoint: TestEndpoint("orders"))
        refreshed.open()
        let task = try #require(left.current)
        #expect(await task.value == nil)
    }

    @Test("a rejected refresh fails the call and does not wait for itself")
    func rejectedRefresh() async throws {
        let server = try LoopbackServer.test { _ in .status(401) }
        let bearerAuthentication = BearerAuthentication(token: "old") { response in
            try await NetworkManager<TestEndpoint>(channel: response.call.channel)
                .request(endpoint: TestEndpoint("token"), type: String.self)
        }
        let channel = Channel.test(server.url) { $0.attemptMiddleware = [bearerAuthentication] }
        #expect(await channel.error(TestEndpoint("orders"))?.label == "verification.unacceptableStatus.401")
        #expect(server.requests.map(\.path) == ["/orders", "/token"])
    }

    @Test("active pinning without any pins is one warning")
    func noPins() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let warnings = Shared([String]())
        let logger = FunctionLogger { event in if case .warning(_, let text) = event { warnings.change { $0.append(text) } } }
        var channel = Channel.test(server.url)
        channel.logger = logger
        channel.environment.serverTrustManager = ServerTrustManager(isPinningActive: true)
        for _ in 0..<3 { try await channel.manager.request(endpoint: TestEndpoint()) }
        #expect(warnings.current == ["pinning is active for the environment 'test', but its server trust manager has no pins"])
        #expect(Channel.test().warnings.isEmpty)
    }

    private struct ShopError: Error, Decodable { let code: Int }

    @Test(
        "a rejected response whose body does not have the error's shape gives the reason",
        arguments: [#"{"code": "x"}"#, "<html>", #"{"kode": 1}"#])
    func unreadEnvelope(body: String) async throws {
        var channel = Channel.test(RecordingTransport(status: 409, body: body))
        for filter in [ErrorFilter.rejection(ShopError.self), .envelope(ShopError.self) { error, _ in error }] {
            channel.errorFilter = filter
            let error = try #require(await channel.error())
            #expect(error.label == "verification.unacceptableStatus.409")
            #expect(error.context.unreadEnvelope?.expected == "ShopError")
            #expect("\(error)".contains("could not be read as the channel's error"))
        }
        channel.transport = RecordingTransport(body: body)
        #expect(await channel.error() == nil)
    }

    private struct LenientError: Error, Decodable { let code: Int? }

    @Test("a response that ends early is the transport's error, not one of the channel's", arguments: [200, 503])
    func truncated(status: Int) async throws {
        let body = Data(#"{"code": 7"#.utf8)
        let server = try LoopbackServer.test { _ in
            [.sendHead(status: status, headers: ["Content-Length": "100"]), .sendBody(body), .closeConnection]
        }
        var channel = Channel.test(server.url)
        let filters: [ErrorFilter] = [
            .rejection(ShopError.self), .envelope(ShopError.self) { error, _ in error }, .rejection(LenientError.self),
        ]
        for filter in filters {
            channel.errorFilter = filter
            let error = try #require(await channel.error())
            #expect(error.label == "transport.truncated" && error.context.unreadEnvelope == nil, "\(error)")
        }
        let whole = try LoopbackServer.test { _ in .truncated(declared: 100, sent: Data("{\"code\": 7}".utf8)) }
        let rejecting = Channel.test(whole.url) { $0.errorFilter = .rejection(ShopError.self) }
        #expect(await rejecting.error()?.label == "transport.truncated")
    }

    @Test("a custom filter names errors, translates them and turns a failure into a success")
    func ownFilter() async throws {
        final class Shop: ErrorFiltering {
            func filter(_ response: inout Response<Data>) throws {
                if response.head?.status == .notFound { response.result = .success(Data(#"{"id":0}"#.utf8)) }
                if response.head?.status == .conflict { throw Trouble(code: 409) }
            }
            func translate(_ error: APIClientError) -> (any Error)? { Trouble(code: 500) }
        }
        struct Counting: ResultHandling {
            let count = Shared(0)
            func handle(_ response: Response<Void>) async throws { _ = count.next() }
        }
        let counting = Counting()
        func answer(_ status: Int) async -> Response<Item> {
            await Channel.test(RecordingTransport(status: status, body: #"{"id":7}"#)) {
                $0.errorFilter = ErrorFilter(Shop())
                $0.resultHandler = ResultHandler(counting)
            }.item()
        }
        #expect(try await answer(404).value == Item(id: 0))
        #expect(try await answer(200).value == Item(id: 7))
        #expect(await answer(409).error?.app() == Trouble(code: 409))
        #expect(await answer(503).error?.app() == Trouble(code: 500))
        #expect(counting.count.current == 4)
    }

    @Test("a manager is made from a host as text, with its own transport", arguments: ["h.example", "https://h.example/v1"])
    func hostText(host: String) async throws {
        let manager = NetworkManager<TestEndpoint>(host: host, networkLogger: nil, interceptor: RetryPolicy())
        let dispatcher = try #require(manager.dispatcher as? CommonDispatcher)
        #expect(dispatcher.channel.environment.baseURL == (host.contains("://") ? host : "https://h.example"))
        #expect(dispatcher.channel.problems.isEmpty && dispatcher.channel.transport is CurlTransport)
        #expect(dispatcher.channel.warnings.count == 1)
    }

    @Test("a completion has a name, gets a response without a value too, and runs on the main actor")
    @MainActor func completions() async throws {
        let manager = Channel.test(RecordingTransport(body: #"{"id":7}"#)).manager
        let result = await withCheckedContinuation { continuation in
            let completion: Completion<Item> = { result in
                MainActor.assertIsolated()
                continuation.resume(returning: result)
            }
            manager.request(endpoint: TestEndpoint(), type: Item.self, completion: completion)
        }
        #expect(try result.get() == Item(id: 7))
        try await completion { manager.request(endpoint: TestEndpoint(), completion: $0) }.get()
    }

    private struct Nested: Endpoint {
        var path: String { "a" }
        var method: HTTPMethod { .get }
        var keyPath: String { "data.item" }
    }

    private struct Whole: Endpoint {
        let url: String
        var path: String { "" }
        var method: HTTPMethod { .get }
    }

    @Test("the endpoint has the key path of its value; the call's own wins, and bytes and text are the whole body")
    func keyPath() async throws {
        let body = #"{"data":{"item":{"id":1},"other":{"id":2}}}"#
        let dispatcher = CommonDispatcher(channel: .test(RecordingTransport(body: body)))
        #expect(try await dispatcher.request(Nested(), as: .decodable(Item.self)).id == 1)
        #expect(try await dispatcher.request(Nested().attaching(Header("X", "1")), as: .decodable(Item.self)).id == 1)
        #expect(try await dispatcher.request(Nested(), as: .decodable(Item.self, at: "data.other")).id == 2)
        #expect(try await dispatcher.request(Nested(), as: .json)["id"]?.int == 1)
        #expect(try await dispatcher.request(Nested(), as: .text) == body)
    }

    @Test("a client parses by itself; a malformed base URL is the request's own error")
    func client() async throws {
        let client = APIClient(transport: RecordingTransport())
        let request = APIRequest(TestEndpoint(), environment: APIEnvironment("h", baseURL: "https://h.example"), as: Item.self)
        #expect(try client.parse(Data(#"{"id":8}"#.utf8), as: request) == Item(id: 8))
        #expect(throws: APIClientError.self) { try client.parse(Data("<html>".utf8), as: request) }
        let nested = APIRequest(Nested(), environment: APIEnvironment("h", baseURL: "https://h.example"), as: Item.self)
        #expect(try client.parse(Data(#"{"data":{"item":{"id":9}}}"#.utf8), as: nested) == Item(id: 9))
        for base in ["exa mple", "ftp://h.example", "h.example", "https://"] {
            let wrong = APIRequest(TestEndpoint(), environment: APIEnvironment("h", baseURL: base), as: Item.self)
            let label = await client.response(to: wrong).error?.label ?? ""
            #expect(label == "request.malformedURL" || label == "request.unsupportedScheme", "\(base): \(label)")
        }
    }

    @Test("typed endpoints are made without a provider, with modifiers, and their decoding may be replaced")
    func typedEndpoints() async throws {
        let transport = RecordingTransport(body: #"{"items":[{"id":1}]}"#)
        let dispatcher = CommonDispatcher(channel: .test(transport))
        var orders = GET<Void, [Item]>("orders", modifiers: [Header("X-A", "1"), Timeout(.seconds(5))])
        orders.decoding = .decodable(at: "items")
        #expect(try await dispatcher.request(orders) == [Item(id: 1)])
        try await dispatcher.request(HEAD<Void, Void>("ping"))
        try await dispatcher.request(PUT<Data, Void>("file", modifiers: [Header("X-A", "2")])(Data("x".utf8)))
        #expect(transport.requests.map(\.line) == ["GET /orders", "HEAD /ping", "PUT /file x"])
        #expect(transport.requests.map { $0.headers[.init("X-A")!] } == ["1", nil, "2"] && !orders.name.isEmpty)
        #expect(transport.requests[0].timeout.total == .seconds(5))
    }

    struct Tenant: HeaderModifier {
        let name = "X-Tenant"
        let value: String
    }

    @Test("a header may be a custom type, and the nearest wins")
    func ownHeader() async throws {
        let transport = RecordingTransport()
        var channel = Channel.test(transport)
        channel.modifiers = [Tenant(value: "north"), Header("X-A", "channel")]
        try await channel.manager.request(endpoint: TestEndpoint())
        // Registered headers lose to the endpoint's.
        try await channel.manager.request(
            endpoint: TestEndpoint(headers: ["X-A": "endpoint"], modifiers: [Tenant(value: "south")]))
        let sent = transport.requests.map { request in ["X-Tenant", "X-A"].map { request.headers[.init($0)!] ?? "" } }
        #expect(sent == [["north", "channel"], ["south", "endpoint"]])
    }

    @Test("an error handler may replace a failure with a value of the requested type")
    func resolved() async throws {
        var channel = Channel.test(RecordingTransport(status: 404)) { $0.errorHandler = Resolving { .succeed([Item]()) } }
        let response = await channel.manager.response(for: TestEndpoint(), as: [Item].self)
        #expect(try response.value.isEmpty)
        #expect(response.head?.status == .notFound)
        channel.errorHandler = Resolving { .succeed(5) }
        let wrong = await channel.manager.response(for: TestEndpoint(), as: [Item].self)
        let mismatch = wrong.error?.underlyingError as? RetryResult.Mismatch
        #expect(mismatch?.expected == "Array<Item>" && mismatch?.found == "Int")
    }

    @Test("a cancellable is made and composed")
    func cancellable() {
        let count = Shared(0)
        let one = Cancellable { count.change { $0 += 1 } }
        Cancellable([one, Cancellable(), Cancellable([one])]).cancel()
        #expect(count.current == 2)
    }
}
