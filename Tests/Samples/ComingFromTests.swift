import TestSupport

/// The code that teams have today, with the changes that the pages name.
@Suite("Coming from …", .closing, .timeLimit(.minutes(1)))
struct ComingFromTests {
    final class KioskOutput: KioskOrderListInteractorOutput {
        let (results, heard) = AsyncStream.makeStream(of: String.self)
        func handleOrderListResponse(_ result: Result<KioskOrderListResponse, APIClientError>) {
            heard.yield("\((try? result.get().orders) ?? [])")
        }
        func handleCancelResponse(_ result: Result<EmptyResponse, APIClientError>) {
            heard.yield((try? result.get()) == nil ? "not cancelled" : "cancelled")
        }
    }

    @Test("Alamofire: a networker class with a host as text, an endpoint enum and an interactor with its output")
    @MainActor func networker() async throws {
        let transport = FixtureTransport([
            Fixture(.get, "order?page=1", body: #"{"orders": [1, 2]}"#), Fixture(.post, "order/2/cancel", status: 204, body: ""),
        ])
        let kiosk = Channel(name: "api.kiosk.example", environment: APIEnvironment("kiosk", baseURL: "https://api.kiosk.example"))
        await withChannel(kiosk, transport: transport) {
            let interactor = KioskOrderListInteractor()
            let output = KioskOutput()
            interactor.output = output
            var results = output.results.makeAsyncIterator()
            interactor.fetchOrderList(path: "page=1")
            #expect(await results.next() == "[1, 2]")
            interactor.cancel(id: 2)
            #expect(await results.next() == "cancelled")
        }
    }

    @Test("Moya: an environment, targets with a base URL and a key path, an error filter and a result handler by conformance")
    func dispatcher() async throws {
        let statuses = ["/pictures": 200, "/avatars/1": 404, "/avatars/2": 409, "/avatars/3": 401]
        let signedOut = Shared(false)
        let server = try LoopbackServer.test { request in
            let status = statuses[request.path] ?? 500
            return .json(status == 409 ? #"{"reason": "taken"}"# : #"{"data": {"items": ["a", "b"]}}"#, status: status)
        }
        var channel = closing(gallery(.staging) { signedOut.change { $0 = true } }.channel)
        channel.environment.overridesBaseURLs = true
        channel.environment.baseURL = server.url
        channel.environment.allowsInsecureConnections = true
        let dispatcher = channel.dispatcher
        func items(_ target: GalleryTarget) async throws -> [String] {
            try await dispatcher.request(target, as: .decodable([String].self))
        }
        #expect(try await items(.pictures) == ["a", "b"])
        #expect(try await items(.avatar(id: 1)) == [])
        let taken = await dispatcher.response(for: GalleryTarget.avatar(id: 2), as: .json)
        #expect(taken.error?.app(GalleryError.self)?.reason == "taken")
        _ = try? await items(.avatar(id: 3))
        #expect(signedOut.current && server.requests.allSatisfy { $0.headers["x-gallery"] == "1" })
    }

    @Test("Moya: certificates by conformance pin their hosts")
    func certificates() throws {
        #expect(throws: Certificate.ReadError.self) { try GalleryCertificate.serverTrustManager }
        #expect(GalleryCertificate.allCases.map(\.evaluatorKey) == ["*.gallery.example", "avatars.gallery.example"])
    }

    @Test("Fetcher: endpoints with and without a provider, a header type, an enhancer with a priority, a handler with a value")
    func fetcher() async throws {
        let server = try LoopbackServer.test { request in
            switch request.path {
            case "/get": .json(#"{"args": {"id": "1", "text": "a"}}"#)
            case "/examples": .json(#"{"args": [{"id": "1"}]}"#)
            case "/post": .json("{}")
            default: .status(404)
            }
        }
        let fetcher = Channel.test(server) {
            $0.enhancers = [ExampleTranslation()]
            $0.modifiers = [AcceptLanguage.turkish]
            $0.errorHandler = CompositeErrorHandler(NoInternetErrorHandler(), ExampleErrorHandler())
        }.dispatcher
        let found: Response<ExampleObject> = await withCheckedContinuation { continuation in
            let endpoint = ExampleEndpoints.get(id: "1", text: "a")
            fetcher.response(for: endpoint, as: endpoint.decoding) { continuation.resume(returning: $0) }
        }
        #expect(try found.result.get() == ExampleObject(id: "1", text: "a"))
        #expect(try await fetcher.request(ExampleEndpoints.all) == [ExampleObject(id: "1", text: nil)])
        try await fetcher.request(ExampleEndpoints.post()(ExampleObject(id: "2", text: nil)))
        let missing: GET<Void, ExampleObject> = GET("missing")
        #expect(try await fetcher.request(missing) == ExampleObject(id: nil, text: nil))
        #expect(try await fetcher.request(GET<Void, JSONValue>("get?id=1"))["id"]?.string == "1")
        #expect(server.requests.allSatisfy { $0.headers["accept-language"] == "tr" })
        #expect(server.requests.first { $0.path == "/post" }?.bodyText == #"{"id":"2"}"#)
    }

    @Test("A hand-written client: a class around a client, with a handler and an environment enum")
    func client() async throws {
        let fixture = Fixture(.get, "v1/gifs/trending", body: #"{"data": [{"id": "g"}]}"#)
        let client = GiphyAPIClient(transport: FixtureTransport([fixture]))
        let page: [String]? = await withCheckedContinuation { continuation in
            client.fetchTrending { page, error in continuation.resume(returning: page?.data.map(\.id)) }
        }
        #expect(page == ["g"])
    }
}
