public import CoreAPI
public import DLNetworker

/// The interface of the order list, for a presenter.
@MainActor
public protocol DLOrderListInteractorInterface: AnyObject {
    var output: (any DLOrderListInteractorOutput)? { get set }

    /// Fetches a page of the list; calls the output exactly once.
    ///
    /// - Parameters: as of ``DLOrderEndpointItem/orderList(page:size:)``.
    func fetchOrderList(page: Int, size: Int?)
}

/// Receives the result, on the main actor.
@MainActor
public protocol DLOrderListInteractorOutput: AnyObject {
    func handleOrderListResponse(_ result: Result<DLOrderListResponse, APIClientError>)
}

/// Fetches the signed-in user's orders.
public final class DLOrderListInteractor: DLNetworker<DLOrderEndpointItem>, DLOrderListInteractorInterface {
    public weak var output: (any DLOrderListInteractorOutput)?

    public func fetchOrderList(page: Int, size: Int?) {
        request(.orderList(page: page, size: size)) { $0.output?.handleOrderListResponse($1) }
    }

    /// The async form of ``fetchOrderList(page:size:)``; from any actor.
    public nonisolated func orderList(page: Int = 1, size: Int? = nil) async throws(APIClientError) -> DLOrderListResponse {
        try await networkManager.request(endpoint: .orderList(page: page, size: size))
    }
}
