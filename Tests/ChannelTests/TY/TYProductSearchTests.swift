import TYInteractors
import TYNetworker
import TestSupport

@Suite("TY: product search")
struct TYProductSearchTests {
    @Test("finds Turkish words and decodes every field")
    func turkish() async throws {
        let page = try await withSandbox(.ty.at(.sandbox)) { _ in try await TYProductSearchInteractor().search("çanta") }
        #expect(!page.products.isEmpty)
        #expect(page.products.allSatisfy { "\($0.name) \($0.brand)".lowercased().contains("çanta") })
        #expect(page.products.allSatisfy { $0.price.currency == "TRY" && $0.price.amount > 0 && (0...5).contains($0.rating) })
        #expect(page.products.allSatisfy { $0.imageURL.scheme == "https" })
    }

    @Test("a price is exactly the server's, to the cent")
    func price() async throws {
        let body =
            #"{"isSuccess":true,"statusCode":200,"result":{"products":[{"id":1,"name":"n","brand":"b","#
            + #""price":{"amount":129.99,"currency":"TRY"},"rating":4,"imageURL":"https://i.example/1"}],"#
            + #""page":0,"size":10,"totalCount":1,"hasNext":false}}"#
        let channel = Channel.ty.at(.sandbox).with { $0.transport = RecordingTransport(body: body) }
        let page = try await ChannelOverride.with(channel) { try await TYProductSearchInteractor().search("") }
        #expect(page.products.first?.price.amount.description == "129.99")
    }

    @Test("the next pages return every product once, and then there is no page")
    func paging() async throws {
        try await withSandbox(.ty.at(.sandbox)) { _ in
            let interactor = TYProductSearchInteractor()
            #expect(try await interactor.nextPage() == nil)
            var page = try await interactor.search("")
            var ids = page.products.map(\.id)
            while let next = try await interactor.nextPage() {
                #expect(next.page == page.page + 1)
                ids += next.products.map(\.id)
                page = next
            }
            #expect(ids.count == page.totalCount)
            #expect(Set(ids).count == ids.count)
            #expect(page.totalCount == 48)
        }
    }

    @Test("a new search begins at its first page")
    func newSearch() async throws {
        try await withSandbox(.ty.at(.sandbox)) { _ in
            let interactor = TYProductSearchInteractor()
            _ = try await interactor.search("", page: 3)
            #expect(try await interactor.search("gömlek").page == 0)
        }
    }

    @Test("in the delegate form the output gets each page once, on the main actor")
    @MainActor func delegate() async throws {
        try await withSandbox(.ty.at(.sandbox)) { _ in
            let (interactor, output) = (TYProductSearchInteractor(), Page())
            interactor.output = output
            interactor.fetchNextPage()
            interactor.fetchProducts(query: "")
            try await eventually("no first page") { await output.results.count == 1 }
            for _ in 0..<3 { interactor.fetchNextPage() }
            try await eventually("no second page") { await output.results.count == 2 }
            // Another call takes long enough for a response that must not arrive.
            _ = try await TYProductSearchInteractor().search("")
            #expect(try output.results.map { try $0.get().page } == [0, 1])
            #expect(output.wasAlwaysOnMainQueue)
        }
    }

    @Test("in the delegate form a search that another one replaces does not call the output")
    @MainActor func givenUp() async throws {
        try await withSandbox(.ty.at(.sandbox)) { _ in
            let (interactor, output) = (TYProductSearchInteractor(), Page())
            interactor.output = output
            interactor.fetchProducts(query: "")
            interactor.fetchProducts(query: "çanta")
            try await eventually("the output received no result") { await !output.results.isEmpty }
            let other = try await TYProductSearchInteractor().search("çanta")
            #expect(try output.results.map { try $0.get() } == [other])
        }
    }

    private final class Page: Output<TYProductSearchResponse>, TYProductSearchInteractorOutput {
        func handleProductSearchResponse(_ result: Result<TYProductSearchResponse, APIClientError>) { hear(result) }
    }
}
