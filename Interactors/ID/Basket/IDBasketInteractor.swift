public import CoreAPI
public import IDNetworker

/// The interface of the basket, for a presenter.
@MainActor
public protocol IDBasketInteractorInterface: AnyObject {
    var output: (any IDBasketInteractorOutput)? { get set }

    /// Orders the basket's content; calls the output exactly once.
    func checkOut(basketID: String, _ checkout: IDCheckoutRequest)
}

/// Receives the result, on the main actor.
@MainActor
public protocol IDBasketInteractorOutput: AnyObject {
    func handleCheckoutResponse(_ result: Result<IDCheckoutResponse, APIClientError>)
}

/// Orders a basket's content. If the server cannot answer, the channel repeats the checkout; it still places only one order.
public final class IDBasketInteractor: IDNetworker<IDBasketEndpointItem>, IDBasketInteractorInterface {
    public weak var output: (any IDBasketInteractorOutput)?

    public func checkOut(basketID: String, _ checkout: IDCheckoutRequest) {
        request(.checkout(basketID: basketID, checkout)) { $0.output?.handleCheckoutResponse($1) }
    }

    /// Orders the basket's content and awaits the order; from any actor.
    ///
    /// - Parameter idempotencyKey: identifies this order; `nil` makes a key for this call. To ask again after a crash, pass
    ///   your own key: the same key with the same basket is the same order.
    /// - Throws: an ``IDNetworker/IDError``: `IDEMPOTENCY_CONFLICT` for a key of another order, `BASKET_EMPTY` and
    ///   `QUANTITY_INVALID` for an invalid basket.
    public nonisolated func checkout(
        basketID: String, _ checkout: IDCheckoutRequest, idempotencyKey: String? = nil
    ) async throws(APIClientError) -> IDCheckoutResponse {
        try await networkManager.request(endpoint: .checkout(basketID: basketID, checkout, idempotencyKey: idempotencyKey))
    }
}
