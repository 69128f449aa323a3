public import CoreAPI
public import DLNetworker

/// The interface of the order's page, for a presenter.
@MainActor
public protocol DLOrderDetailInteractorInterface: AnyObject {
    var output: (any DLOrderDetailInteractorOutput)? { get set }

    /// Fetches an order; calls the output exactly once.
    ///
    /// - Parameter id: an id from the list: `DL-1`.
    func fetchOrderDetail(id: String)
}

/// Receives the result, on the main actor.
@MainActor
public protocol DLOrderDetailInteractorOutput: AnyObject {
    func handleOrderDetailResponse(_ result: Result<DLOrderDetailResponse, APIClientError>)
}

/// Fetches one order with all its details.
public final class DLOrderDetailInteractor: DLNetworker<DLOrderDetailEndpointItem>, DLOrderDetailInteractorInterface {
    public weak var output: (any DLOrderDetailInteractorOutput)?

    public func fetchOrderDetail(id: String) {
        request(.orderDetail(id: id)) { $0.output?.handleOrderDetailResponse($1) }
    }

    /// The async form of ``fetchOrderDetail(id:)``; from any actor.
    ///
    /// - Throws: a ``DLNetworker/DLError`` with the key `order.not-found` for an unknown id.
    public nonisolated func orderDetail(id: String) async throws(APIClientError) -> DLOrderDetailResponse {
        try await networkManager.request(endpoint: .orderDetail(id: id))
    }
}
