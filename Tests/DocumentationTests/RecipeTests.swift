import TestSupport

@Suite("The recipes", .closing, .timeLimit(.minutes(1)))
struct RecipeTests {
    private func server() throws -> LoopbackServer {
        try LoopbackServer.test { request in
            switch request.target {
            case "/orders": .json(#"{"orders": [1, 2], "next": "a b"}"#)
            case "/orders?cursor=a%20b": .json(#"{"orders": [3], "next": "c"}"#)
            case "/orders?cursor=c": .json(#"{"orders": [4]}"#)
            default: .status(404)
            }
        }
    }

    @Test("pages end after the last one")
    func pages() async throws {
        let server = try server()
        let dispatcher = server.manager
        var found: [Int] = []
        for try await page in dispatcher.orders() { found += page.orders }
        #expect(found == [1, 2, 3, 4])
        #expect(server.requests.count == 3)
    }

    @Test("a loop that is left fetches no further page")
    func leaving() async throws {
        let server = try server()
        for try await page in server.manager.orders() where page.orders.contains(3) { break }
        #expect(server.requests.map(\.target) == ["/orders", "/orders?cursor=a%20b"])
    }

    @Test("a page that fails ends the loop with its error")
    func failing() async throws {
        let server = try LoopbackServer.test(script: [.json(#"{"orders": [1], "next": "a"}"#), .status(404)])
        var found: [Int] = []
        #expect(await failure { for try await page in server.manager.orders() { found += page.orders } } != nil)
        #expect(found == [1])
    }

    @Test("a generated client's request goes through the channel, and a rejection is its response", arguments: [201, 409])
    func generated(status: Int) async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"id": 7}"#, status: status) }
        let channel = Channel.test(server) { $0.modifiers = [Header("X-Client", "app")] }
        let transport = ChannelTransport(dispatcher: channel.dispatcher)
        let request = HTTPRequest(
            method: .post, scheme: nil, authority: nil, path: "/orders/a%2Fb?full=true",
            headerFields: [.contentType: "application/json", .accept: "application/json"])
        let (response, body) = try await transport.send(
            request, body: Data(#"{"count": 1}"#.utf8), baseURL: URL(string: server.url)!, operationID: "placeOrder")
        #expect(response.status.code == status)
        #expect(body == Data(#"{"id": 7}"#.utf8))
        let received = try #require(server.requests.first)
        #expect(received.target == "/orders/a%2Fb?full=true" && received.bodyText == #"{"count": 1}"#)
        #expect(received.headers.all("content-type") == ["application/json"])
        #expect(received.headers["x-client"] == "app")
    }

    @Test("a generated client gets the transport's error")
    func generatedFailure() async throws {
        let fixture = Fixture(failure: .cannotConnect(host: "h.example", reason: "simulated"))
        let transport = ChannelTransport(dispatcher: Channel.test(FixtureTransport([fixture])).dispatcher)
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/orders")
        let error = await failure {
            try await transport.send(request, body: nil, baseURL: URL(string: "https://h.example")!, operationID: "orders")
        }
        #expect(error?.label == "transport.cannotConnect" && error?.context.endpoint == "orders")
    }

    @Test("a service closes its channel when it is told to stop, and later calls fail")
    func lifecycle() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let channel = Channel.test(server)
        let dispatcher = channel.dispatcher
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let service = ChannelService(channel: channel) { for await _ in stops {} }
        let run = Task { try await service.run() }
        try await dispatcher.request(.get("thing"))
        stop.finish()
        try await run.value
        try await server.waitForOpenConnections(atMost: 0)
        let late = await dispatcher.response(for: TypedEndpoint.get("thing"), as: .nothing)
        #expect(late.error?.label == "transport.closed")
    }
}
