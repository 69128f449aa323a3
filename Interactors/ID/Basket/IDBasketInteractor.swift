public import CoreAPI
public import IDNetworker

/// What a presenter needs of the basket.
@MainActor
public protocol IDBasketInteractorInterface: AnyObject {
    var output: (any IDBasketInteractorOutput)? { get set }

    /// Orders what is in a basket; the output hears of it exactly once.
    func checkOut(basketID: String, _ checkout: IDCheckoutRequest)
}

/// Hears what an order came to; on the main actor.
@MainActor
public protocol IDBasketInteractorOutput: AnyObject {
    func handleCheckoutResponse(_ result: Result<IDCheckoutResponse, APIClientError>)
}

/// Orders what is in a basket. A checkout is repeated when the server could not answer, and places one order however often.
public final class IDBasketInteractor: IDNetworker<IDBasketEndpointItem>, IDBasketInteractorInterface {
    public weak var output: (any IDBasketInteractorOutput)?

    public func checkOut(basketID: String, _ checkout: IDCheckoutRequest) {
        let order = IDBasketEndpointItem.checkout(basketID: basketID, checkout, idempotencyKey: nil)
        networkManager.request(order, to: self) { $0.output?.handleCheckoutResponse($1) }
    }

    /// Orders what is in a basket, for who can wait; from any actor.
    ///
    /// - Parameter idempotencyKey: stands for this order and no other; `nil` makes one for this call. Give one that outlives the
    ///   call to be able to ask again after a crash: the same key and the same basket is the same order.
    /// - Throws: an ``IDNetworker/IDError`` with `IDEMPOTENCY_CONFLICT` for a key that stands for another order, `BASKET_EMPTY`
    ///   and `QUANTITY_INVALID` for a basket that cannot be ordered.
    public nonisolated func checkout(
        basketID: String, _ checkout: IDCheckoutRequest, idempotencyKey: String? = nil
    ) async throws(APIClientError) -> IDCheckoutResponse {
        try await networkManager.request(endpoint: .checkout(basketID: basketID, checkout, idempotencyKey: idempotencyKey))
    }
}
