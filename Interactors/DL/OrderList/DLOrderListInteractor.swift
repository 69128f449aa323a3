public import CoreAPI
public import DLNetworker

/// What a presenter needs of the order list.
@MainActor
public protocol DLOrderListInteractorInterface: AnyObject {
    var output: (any DLOrderListInteractorOutput)? { get set }

    /// Fetches a part of the list; the output hears of it exactly once.
    ///
    /// - Parameter path: as in ``DLOrderEndpointItem/orderList(path:)``.
    func fetchOrderList(path: String)
}

/// Hears what the order list came to; on the main actor.
@MainActor
public protocol DLOrderListInteractorOutput: AnyObject {
    func handleOrderListResponse(_ result: Result<DLOrderListResponse, APIClientError>)
}

/// Gets the signed-in user's orders.
public final class DLOrderListInteractor: DLNetworker<DLOrderEndpointItem>, DLOrderListInteractorInterface {
    public weak var output: (any DLOrderListInteractorOutput)?

    public func fetchOrderList(path: String) {
        request(.orderList(path: path)) { $0.output?.handleOrderListResponse($1) }
    }

    /// The awaited form of ``fetchOrderList(path:)``; from any actor.
    public nonisolated func orderList(path: String) async throws(APIClientError) -> DLOrderListResponse {
        try await networkManager.request(endpoint: .orderList(path: path))
    }
}
