import GIPHYInteractors
import GIPHYNetworker
import TestSupport

@Suite("GIPHY")
struct GIPHYTests {
    private func channel(key: String? = "the-key", _ scenario: String = "giphy") -> (Channel, RecordingTransport) {
        let transport = RecordingTransport(.fixtures(scenario))
        var channel = Channel.giphy
        channel.credentials = key.map { ["GIPHY_API_KEY": $0] } ?? [:]
        channel.transport = transport
        return (channel, transport)
    }

    @Test("a search sends key, words and page, and decodes GIPHY's three parts")
    func search() async throws {
        let (channel, transport) = channel()
        let found = try await ChannelOverride.with(channel) {
            try await GIPHYGifsInteractor().search("şaşkın kedi", limit: 1, offset: 25, rating: .pg13, language: "tr")
        }
        let url = try #require(transport.requests.first?.url)
        #expect(url.host == "api.giphy.com" && url.path == "/v1/gifs/search")
        let query = Dictionary(url.queryItems.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        #expect(
            query == ["api_key": "the-key", "q": "şaşkın kedi", "limit": "1", "offset": "25", "rating": "pg-13", "lang": "tr"])
        let gif = try #require(found.data.first)
        #expect(gif.id == "YsTs5ltWtEhnq" && gif.title == "Confused Cat GIF" && gif.rating == .pg13 && gif.username == "kedi")
        #expect(gif.images.original.width == 480 && gif.images.original.height == 450 && gif.images.fixedHeight.height == 200)
        #expect(found.pagination.totalCount == 250 && found.pagination.offset == 25 && found.pagination.count == 1)
        #expect(found.meta.status == 200 && found.meta.message == "OK" && !found.meta.responseID.isEmpty)
    }

    @Test("the request for trending GIFs has the default values")
    func trending() async throws {
        let (channel, transport) = channel()
        _ = try await ChannelOverride.with(channel) { try await GIPHYGifsInteractor().trending() }
        #expect(transport.requests.first?.url.target == "/v1/gifs/trending?limit=25&offset=0&api_key=the-key")
    }

    @Test("an error is GIPHY's own, and does not contain the key")
    func failure() async throws {
        let (channel, _) = channel("giphy-unauthorized")
        let error = await #expect(throws: APIClientError.self) {
            try await ChannelOverride.with(channel) { try await GIPHYGifsInteractor().trending() }
        }
        let failure: GIPHYError = try #require(error?.app())
        #expect(failure.status == 401 && failure.message == "Unauthorized")
        let text = try #require(error).description
        #expect(text.contains("/v1/gifs/trending") && !text.contains("the-key"))
    }

    @Test("without a key no request is sent, and the error names the variable", arguments: [nil, ""])
    func noKey(key: String?) async throws {
        let (channel, transport) = channel(key: key)
        let error = await #expect(throws: APIClientError.self) {
            try await ChannelOverride.with(channel) { try await GIPHYGifsInteractor().trending() }
        }
        #expect(error?.underlyingError is Credential.Missing)
        #expect(error?.description.contains("GIPHY_API_KEY") == true)
        #expect(error?.description.contains("<redacted>") == false)
        #expect(transport.requests.isEmpty)
    }

    @Test("in the delegate form the output is called exactly once, on the main actor")
    @MainActor func delegate() async throws {
        let (channel, _) = channel()
        try await ChannelOverride.with(channel) {
            let interactor = GIPHYGifsInteractor()
            let output = Output()
            interactor.output = output
            interactor.fetchGifs(query: "kedi")
            try await eventually("the output received no result") { await !output.results.isEmpty }
            _ = try await interactor.trending()
            #expect(output.results.count == 1)
            #expect(try output.results.first?.get().data.count == 1)
            #expect(output.wasAlwaysOnMainQueue)
        }
    }

    @MainActor private final class Output: GIPHYGifsInteractorOutput {
        var results: [Result<GIPHYGifsResponse, APIClientError>] = []
        var wasAlwaysOnMainQueue = true

        func handleGifsResponse(_ result: Result<GIPHYGifsResponse, APIClientError>) {
            results.append(result)
            wasAlwaysOnMainQueue = wasAlwaysOnMainQueue && MainQueue.isCurrent
        }
    }
}
