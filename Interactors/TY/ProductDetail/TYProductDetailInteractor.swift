public import CoreAPI
public import TYNetworker

/// What a presenter needs of a product's own page.
@MainActor
public protocol TYProductDetailInteractorInterface: AnyObject {
    var output: (any TYProductDetailInteractorOutput)? { get set }

    /// Fetches a product; the output hears of it exactly once.
    func fetchProductDetail(id: Int)
}

/// Hears what the product came to; on the main actor.
@MainActor
public protocol TYProductDetailInteractorOutput: AnyObject {
    func handleProductDetailResponse(_ result: Result<TYProductDetailResponse, APIClientError>)
}

/// Gets one product with all that is known about it.
public final class TYProductDetailInteractor: TYNetworker<TYProductDetailEndpointItem>, TYProductDetailInteractorInterface {
    public weak var output: (any TYProductDetailInteractorOutput)?

    public func fetchProductDetail(id: Int) {
        request(.productDetail(id: id)) { $0.output?.handleProductDetailResponse($1) }
    }

    /// The awaited form of ``fetchProductDetail(id:)``; from any actor.
    ///
    /// - Throws: a ``TYNetworker/TYError`` with the code `product-not-found` for an unknown id.
    public nonisolated func productDetail(id: Int) async throws(APIClientError) -> TYProductDetailResponse {
        try await networkManager.request(endpoint: .productDetail(id: id))
    }
}
