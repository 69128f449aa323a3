public import CoreAPI
public import MLNetworker

/// What a presenter needs of a restaurant's page.
@MainActor
public protocol MLMenuInteractorInterface: AnyObject {
    var output: (any MLMenuInteractorOutput)? { get set }

    /// Fetches a menu; the output hears of it exactly once.
    ///
    /// - Parameter restaurantID: as the list of restaurants gives it: `ml-7`.
    func fetchMenu(restaurantID: String)
}

/// Hears what a restaurant serves; on the main actor.
@MainActor
public protocol MLMenuInteractorOutput: AnyObject {
    func handleMenuResponse(_ result: Result<MLMenuResponse, APIClientError>)
}

/// Gets what a restaurant serves.
public final class MLMenuInteractor: MLNetworker<MLMenuEndpointItem>, MLMenuInteractorInterface {
    public weak var output: (any MLMenuInteractorOutput)?

    public func fetchMenu(restaurantID: String) {
        request(.menu(restaurantID: restaurantID)) { $0.output?.handleMenuResponse($1) }
    }

    /// The awaited form of ``fetchMenu(restaurantID:)``; from any actor.
    ///
    /// - Throws: a ``MLNetworker/MLError`` with the code 1404 for an unknown id.
    public nonisolated func menu(restaurantID: String) async throws(APIClientError) -> MLMenuResponse {
        try await networkManager.request(endpoint: .menu(restaurantID: restaurantID))
    }
}
