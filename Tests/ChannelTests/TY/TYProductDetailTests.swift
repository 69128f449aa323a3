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
        let failure = try await rejection(TYError.self, on: .ty.at(.sandbox)) {
            try await TYProductDetailInteractor().productDetail(id: 1)
        }
        #expect(failure.code == "product-not-found" && failure.message == "Ürün bulunamadı.")
        #expect(failure.statusCode == 404 && failure.httpStatus == 200)
    }

    @Test("in the delegate form the output is called exactly once, on the main actor")
    @MainActor func delegate() async throws {
        try await withSandbox(.ty.at(.sandbox)) { _ in
            let (interactor, output) = (TYProductDetailInteractor(), Page())
            interactor.output = output
            let result = try await output.only(of: { interactor.fetchProductDetail(id: 1) }) {
                _ = try await TYProductSearchInteractor().search("")
            }
            #expect(await failure { try result.get() }?.app(TYError.self)?.code == "product-not-found")
        }
    }

    private final class Page: Output<TYProductDetailResponse>, TYProductDetailInteractorOutput {
        func handleProductDetailResponse(_ result: Result<TYProductDetailResponse, APIClientError>) { hear(result) }
    }
}
