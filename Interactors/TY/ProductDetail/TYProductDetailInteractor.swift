public import CoreAPI
public import TYNetworker

/// The interface of a product's page, for a presenter.
@MainActor
public protocol TYProductDetailInteractorInterface: AnyObject {
    var output: (any TYProductDetailInteractorOutput)? { get set }

    /// Fetches a product; calls the output exactly once.
    func fetchProductDetail(id: Int)
}

/// Receives the result, on the main actor.
@MainActor
public protocol TYProductDetailInteractorOutput: AnyObject {
    func handleProductDetailResponse(_ result: Result<TYProductDetailResponse, APIClientError>)
}

/// Fetches one product with all its details.
public final class TYProductDetailInteractor: TYNetworker<TYProductDetailEndpointItem>, TYProductDetailInteractorInterface {
    public weak var output: (any TYProductDetailInteractorOutput)?

    public func fetchProductDetail(id: Int) {
        request(.productDetail(id: id)) { $0.output?.handleProductDetailResponse($1) }
    }

    /// The async form of ``fetchProductDetail(id:)``; from any actor.
    ///
    /// - Throws: a ``TYNetworker/TYError`` with the code `product-not-found` for an unknown id.
    public nonisolated func productDetail(id: Int) async throws(APIClientError) -> TYProductDetailResponse {
        try await networkManager.request(endpoint: .productDetail(id: id))
    }
}
