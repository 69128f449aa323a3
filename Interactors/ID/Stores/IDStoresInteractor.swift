public import CoreAPI
public import IDNetworker

/// What a presenter needs of the list of stores.
@MainActor
public protocol IDStoresInteractorInterface: AnyObject {
    var output: (any IDStoresInteractorOutput)? { get set }

    /// Fetches the stores that deliver to a point; calls the output exactly once.
    func fetchStores(latitude: Double, longitude: Double)
}

/// Gets the stores that were found; called on the main actor.
@MainActor
public protocol IDStoresInteractorOutput: AnyObject {
    func handleStoresResponse(_ result: Result<IDStoresResponse, APIClientError>)
}

/// Gets the stores that deliver to a point.
public final class IDStoresInteractor: IDNetworker<IDStoresEndpointItem>, IDStoresInteractorInterface {
    public weak var output: (any IDStoresInteractorOutput)?

    public func fetchStores(latitude: Double, longitude: Double) {
        request(.stores(latitude: latitude, longitude: longitude)) { $0.output?.handleStoresResponse($1) }
    }

    /// Awaits the stores that deliver to a point, nearest first; from any actor.
    ///
    /// - Parameters:
    ///   - latitude: in degrees.
    ///   - longitude: in degrees.
    public nonisolated func stores(latitude: Double, longitude: Double) async throws(APIClientError) -> IDStoresResponse {
        try await networkManager.request(endpoint: .stores(latitude: latitude, longitude: longitude))
    }
}
