import GIPHYInteractors
import GIPHYNetworker
import TestSupport

@Suite("GIPHY")
struct GIPHYTests {
    private func channel(_ scenario: String = "giphy") -> (Channel, RecordingTransport) {
        let transport = RecordingTransport(.fixtures(scenario))
        return (Channel.giphy.with { ($0.credentials, $0.transport) = (["GIPHY_API_KEY": "the-key"], transport) }, transport)
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
    func rejected() async throws {
        let (channel, _) = channel("giphy-unauthorized")
        let error = await failure { try await ChannelOverride.with(channel) { try await GIPHYGifsInteractor().trending() } }
        let failure: GIPHYError = try #require(error?.app())
        #expect(failure.status == 401 && failure.message == "Unauthorized")
        let text = try #require(error).description
        #expect(text.contains("/v1/gifs/trending") && !text.contains("the-key"))
    }

    @Test("in the delegate form the output is called exactly once, on the main actor")
    @MainActor func delegate() async throws {
        let (channel, _) = channel()
        try await ChannelOverride.with(channel) {
            let (interactor, output) = (GIPHYGifsInteractor(), Page())
            interactor.output = output
            let result = try await output.only(of: { interactor.fetchGifs(query: "kedi") }) {
                _ = try await interactor.trending()
            }
            #expect(try result.get().data.count == 1)
        }
    }

    private final class Page: Output<GIPHYGifsResponse>, GIPHYGifsInteractorOutput {
        func handleGifsResponse(_ result: Result<GIPHYGifsResponse, APIClientError>) { hear(result) }
    }
}
