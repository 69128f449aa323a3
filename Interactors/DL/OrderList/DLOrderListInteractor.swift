public import CoreAPI
public import DLNetworker

/// The interface of the order list, for a presenter.
@MainActor
public protocol DLOrderListInteractorInterface: AnyObject {
    var output: (any DLOrderListInteractorOutput)? { get set }

    /// Fetches a part of the list; calls the output exactly once.
    ///
    /// - Parameter path: as in ``DLOrderEndpointItem/orderList(path:)``.
    func fetchOrderList(path: String)
}

/// Receives the result, on the main actor.
@MainActor
public protocol DLOrderListInteractorOutput: AnyObject {
    func handleOrderListResponse(_ result: Result<DLOrderListResponse, APIClientError>)
}

/// Fetches the signed-in user's orders.
public final class DLOrderListInteractor: DLNetworker<DLOrderEndpointItem>, DLOrderListInteractorInterface {
    public weak var output: (any DLOrderListInteractorOutput)?

    public func fetchOrderList(path: String) {
        request(.orderList(path: path)) { $0.output?.handleOrderListResponse($1) }
    }

    /// The async form of ``fetchOrderList(path:)``; from any actor.
    public nonisolated func orderList(path: String) async throws(APIClientError) -> DLOrderListResponse {
        try await networkManager.request(endpoint: .orderList(path: path))
    }
}
