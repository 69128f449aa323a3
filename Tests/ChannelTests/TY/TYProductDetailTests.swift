import TYInteractors
import TYNetworker
import TestSupport

@Suite("TY: product detail")
struct TYProductDetailTests {
    @Test("is unwrapped from the envelope")
    func decodes() async throws {
        try await withSandbox(.ty.at(.sandbox)) { _ in
            let id = try #require(try await TYProductSearchInteractor().search("").products.first?.id)
            let product = try await TYProductDetailInteractor().productDetail(id: id)
            #expect(product.id == id)
            #expect(!product.attributes.isEmpty && !product.description.isEmpty && !product.seller.name.isEmpty)
        }
    }

    @Test("an error inside a 200 is thrown as the marketplace's error")
    func errorInSuccess() async throws {
        let error = await #expect(throws: APIClientError.self) {
            try await withSandbox(.ty.at(.sandbox)) { _ in try await TYProductDetailInteractor().productDetail(id: 1) }
        }
        let failure: TYError = try #require(error?.app())
        #expect(failure.code == "product-not-found")
        #expect(failure.message == "Ürün bulunamadı.")
        #expect(failure.statusCode == 404)
        #expect(failure.httpStatus == 200)
        #expect(error?.context.head?.status.code == 200)
    }

    @Test("in the delegate form the output is called exactly once, on the main actor")
    @MainActor func delegate() async throws {
        try await withSandbox(.ty.at(.sandbox)) { _ in
            let interactor = TYProductDetailInteractor()
            let output = Output()
            interactor.output = output
            interactor.fetchProductDetail(id: 1)
            try await eventually("the output received no result") { await !output.results.isEmpty }
            _ = try await TYProductSearchInteractor().search("")
            #expect(output.results.count == 1)
            let error = #expect(throws: APIClientError.self) { try output.results.first?.get() }
            #expect(error?.app(TYError.self)?.code == "product-not-found")
            #expect(output.wasAlwaysOnMainQueue)
        }
    }

    @MainActor private final class Output: TYProductDetailInteractorOutput {
        var results: [Result<TYProductDetailResponse, APIClientError>] = []
        var wasAlwaysOnMainQueue = true

        func handleProductDetailResponse(_ result: Result<TYProductDetailResponse, APIClientError>) {
            results.append(result)
            wasAlwaysOnMainQueue = wasAlwaysOnMainQueue && MainQueue.isCurrent
        }
    }
}
