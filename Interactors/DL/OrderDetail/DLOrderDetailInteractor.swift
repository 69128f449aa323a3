public import CoreAPI
public import DLNetworker

/// What a presenter needs of an order's own page.
@MainActor
public protocol DLOrderDetailInteractorInterface: AnyObject {
    var output: (any DLOrderDetailInteractorOutput)? { get set }

    /// Fetches an order; the output hears of it exactly once.
    ///
    /// - Parameter id: as the list gives it: `DL-1`.
    func fetchOrderDetail(id: String)
}

/// Hears what the order came to; on the main actor.
@MainActor
public protocol DLOrderDetailInteractorOutput: AnyObject {
    func handleOrderDetailResponse(_ result: Result<DLOrderDetailResponse, APIClientError>)
}

/// Gets one order with all that belongs to it.
public final class DLOrderDetailInteractor: DLNetworker<DLOrderDetailEndpointItem>, DLOrderDetailInteractorInterface {
    public weak var output: (any DLOrderDetailInteractorOutput)?

    public func fetchOrderDetail(id: String) {
        request(.orderDetail(id: id)) { $0.output?.handleOrderDetailResponse($1) }
    }

    /// The awaited form of ``fetchOrderDetail(id:)``; from any actor.
    ///
    /// - Throws: a ``DLNetworker/DLError`` with the key `order.not-found` for an unknown id.
    public nonisolated func orderDetail(id: String) async throws(APIClientError) -> DLOrderDetailResponse {
        try await networkManager.request(endpoint: .orderDetail(id: id))
    }
}
