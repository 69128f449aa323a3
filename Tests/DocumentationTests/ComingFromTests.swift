import TestSupport

@Suite("Coming from …", .closing, .timeLimit(.minutes(1)))
struct ComingFromTests {
    @Test("Alamofire: a router and its interceptor, over the wire")
    func alamofire() async throws {
        let server = try LoopbackServer.test(script: [.status(429), .json(#"{"count": 2}"#)])
        var channel = Channel.test(server)
        channel.interceptors = [APIKeyInterceptor(key: "k")]
        let manager = NetworkManager<BasketRouter>(channel: channel)
        let answer = try await manager.request(endpoint: .add(product: 7, quantity: 1), type: [String: Int].self)
        #expect(answer == ["count": 2])
        #expect(server.requests.map(\.bodyText) == Array(repeating: #"{"product":7,"quantity":1}"#, count: 2))
        #expect(server.requests.allSatisfy { $0.headers["x-api-key"] == "k" })
    }

    @Test("Moya: an environment, a filter, a handler, and a scenario")
    func moya() async throws {
        let signedOut = Mutex(false)
        let environment = APIEnvironment(
            ShopHost.simulated,
            fixturesType: .scenarios(
                [
                    "full": [Fixture(.get, "products?page=1", body: #"{"data": {"items": [{"id": 1}, {"id": 2}]}}"#)],
                    "signed-out": [Fixture(.get, "products", status: 401, body: #"{"code": "session"}"#)],
                ], scenario: "full"))
        let dispatcher = catalogue(environment) { signedOut.withLock { $0 = true } }
        let products = try await dispatcher.request(
            CatalogueTarget.products(page: 1), as: .decodable([Product].self, at: "data.items"))
        let endpoint = CatalogueTarget.products(page: 1).attaching(Fixture.Scenario("signed-out"))
        let rejected = await dispatcher.response(for: endpoint, as: .json)
        let (shown, tell) = AsyncStream.makeStream(of: String.self)
        let show: @Sendable (String) -> Void = { tell.yield($0) }
        dispatcher.response(for: CatalogueTarget.products(page: 1), as: .data) { response in
            switch response.result {
            case .success(let data): show("\(data.count) bytes")
            case .failure(let error): show(error.label)
            }
        }
        #expect(await shown.first { _ in true } == "43 bytes")
        #expect(products == [Product(id: 1), Product(id: 2)])
        #expect(rejected.error?.app(ShopError.self)?.code == "session")
        #expect(signedOut.withLock { $0 })
    }

    @Test("Fetcher: a provider, an enhancer, and a manual retry, over the wire")
    func fetcher() async throws {
        let thing = ServerReply.json(#"{"args": {"id": 7}}"#)
        let server = try LoopbackServer.test(script: [.status(503), .status(503), thing, thing])
        let channel = Channel.test(server) { $0.enhancers = [ArgsTranslation()] }
        let dispatcher = CommonDispatcher(channel: channel)
        let (things, tell) = AsyncStream.makeStream(of: Thing?.self)
        let show: @Sendable (Thing?) -> Void = { tell.yield($0) }
        dispatcher.response(for: ThingEndpoints.thing(7), as: .decodable(Thing.self)) { response in
            Task {
                var response = response
                while response.error != nil, let next = try? await response.retry(max: 3) { response = next }
                show(try? response.value)
            }
        }
        #expect(await things.first { _ in true } == Thing(id: 7))
        #expect(server.requests.count == 3)
        #expect(server.requests.allSatisfy { $0.headers["x-feature"] == "things" })
        #expect(try await dispatcher.request(ThingEndpoints.add(Thing(id: 7))) == Thing(id: 7))
    }

    @Test("Fetcher: the first request of its README")
    func fetcherREADME() async throws {
        let shown = AsyncStream.makeStream(of: String.self)
        @Sendable func show(_ value: Any) { shown.continuation.yield("\(value)") }
        let answer = #"{"args": {"id": "1", "text": "a"}}"#
        let httpbin = Channel(name: "httpbin", environment: APIEnvironment("httpbin", baseURL: ""))
        await withChannel(httpbin, transport: FixtureTransport([Fixture(.get, "get?id=1&text=a", body: answer)])) {
            let fetcher = CommonDispatcher(environment: APIEnvironment("httpbin", baseURL: ""))
            let get = GET<Void, JSONValue>("https://httpbin.org/get", modifiers: [QueryItem("id", "1"), QueryItem("text", "a")])
            fetcher.response(for: get, as: .json) { response in
                switch response.result {
                case .success(let value):
                    show(ExampleObject(id: value["args"]?["id"]?.string, text: value["args"]?["text"]?.string))
                case .failure(let error): show(error.label)
                }
            }
        }
        #expect(await shown.stream.first { _ in true } == "\(ExampleObject(id: "1", text: "a"))")
    }

    @Test("A hand-written client: one request", arguments: [#"{"degrees": 21.5}"#, "<html>", #"{"degrees": "warm"}"#])
    func handWritten(body: String) async throws {
        let seen = Seen()
        func show(_ value: Any) { let text = "\(value)"; seen.change { $0 = text } }
        let transport = FixtureTransport([Fixture(.get, "forecast/İzmir%2FBornova", body: body)])
        let client = APIClient(transport: transport)
        do {
            let forecast = try await client.perform(.forecast("İzmir/Bornova"))
            show(forecast)
        } catch .decoding(let failure, _) where failure.isMalformed {
            show("not JSON: \(failure.excerpt)")
        } catch { show(error.label) }
        switch body {
        case "<html>": #expect(seen.text == "not JSON: <html>")
        case #"{"degrees": "warm"}"#: #expect(seen.text == "decoding")
        default: #expect(seen.text == "Forecast(degrees: 21.5)")
        }
    }
}
