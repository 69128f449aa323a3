public import CoreAPI
public import MLNetworker

/// The interface of a restaurant's page, for a presenter.
@MainActor
public protocol MLMenuInteractorInterface: AnyObject {
    var output: (any MLMenuInteractorOutput)? { get set }

    /// Fetches a menu; calls the output exactly once.
    ///
    /// - Parameter restaurantID: an id from the list of restaurants: `ml-7`.
    func fetchMenu(restaurantID: String)
}

/// Receives the result, on the main actor.
@MainActor
public protocol MLMenuInteractorOutput: AnyObject {
    func handleMenuResponse(_ result: Result<MLMenuResponse, APIClientError>)
}

/// Fetches a restaurant's menu.
public final class MLMenuInteractor: MLNetworker<MLMenuEndpointItem>, MLMenuInteractorInterface {
    public weak var output: (any MLMenuInteractorOutput)?

    public func fetchMenu(restaurantID: String) {
        request(.menu(restaurantID: restaurantID)) { $0.output?.handleMenuResponse($1) }
    }

    /// The async form of ``fetchMenu(restaurantID:)``; from any actor.
    ///
    /// - Throws: a ``MLNetworker/MLError`` with the code 1404 for an unknown id.
    public nonisolated func menu(restaurantID: String) async throws(APIClientError) -> MLMenuResponse {
        try await networkManager.request(endpoint: .menu(restaurantID: restaurantID))
    }
}
