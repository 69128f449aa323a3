import TestSupport

@Suite("Recipes", .closing, .timeLimit(.minutes(1)))
struct RecipesTests {
    @Test("pages end after the last one, or with the error of one that fails", arguments: [200, 404])
    func pages(status: Int) async throws {
        let server = try LoopbackServer.test(script: [
            .json(#"{"orders": [1, 2], "next": "a b"}"#), .json(#"{"orders": [3]}"#, status: status),
        ])
        var found: [Int] = []
        let error = await failure { for try await page in server.manager.orders() { found += page.orders } }
        #expect(found == (status == 200 ? [1, 2, 3] : [1, 2]) && (error == nil) == (status == 200))
        #expect(server.requests.map(\.target) == ["/orders", "/orders?cursor=a%20b"])
    }

    @Test("a loop that is left fetches no further page")
    func leaving() async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"orders": [1], "next": "a"}"#) }
        for try await _ in server.manager.orders() { break }
        #expect(server.requests.count == 1)
    }

    @Test("a generated client's request goes through the channel, and a rejection is its response", arguments: [201, 409])
    func generated(status: Int) async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"id": 7}"#, status: status) }
        let channel = Channel.test(server) { $0.modifiers = [Header("X-Client", "app")] }
        let request = HTTPRequest(
            method: .post, scheme: nil, authority: nil, path: "/orders/a%2Fb?full=true",
            headerFields: [.contentType: "application/json", .accept: "application/json"])
        let (response, body) = try await ChannelTransport(dispatcher: channel.dispatcher).send(
            request, body: Data(#"{"count": 1}"#.utf8), baseURL: URL(string: server.url)!, operationID: "placeOrder")
        #expect(response.status.code == status && body == Data(#"{"id": 7}"#.utf8))
        let received = try #require(server.requests.first)
        #expect(received.target == "/orders/a%2Fb?full=true" && received.bodyText == #"{"count": 1}"#)
        #expect(received.headers.all("content-type") == ["application/json"] && received.headers["x-client"] == "app")
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
}
