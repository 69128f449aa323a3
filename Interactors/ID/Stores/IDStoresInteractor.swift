public import CoreAPI
public import IDNetworker

/// The interface of the list of stores, for a presenter.
@MainActor
public protocol IDStoresInteractorInterface: AnyObject {
    var output: (any IDStoresInteractorOutput)? { get set }

    /// Fetches the stores that deliver to a point; calls the output exactly once.
    func fetchStores(latitude: Double, longitude: Double)
}

/// Receives the result, on the main actor.
@MainActor
public protocol IDStoresInteractorOutput: AnyObject {
    func handleStoresResponse(_ result: Result<IDStoresResponse, APIClientError>)
}

/// Fetches the stores that deliver to a point.
public final class IDStoresInteractor: IDNetworker<IDStoresEndpointItem>, IDStoresInteractorInterface {
    public weak var output: (any IDStoresInteractorOutput)?

    public func fetchStores(latitude: Double, longitude: Double) {
        request(.stores(latitude: latitude, longitude: longitude)) { $0.output?.handleStoresResponse($1) }
    }

    /// Fetches the stores that deliver to a point and awaits them, nearest first; from any actor.
    ///
    /// - Parameters:
    ///   - latitude: in degrees.
    ///   - longitude: in degrees.
    public nonisolated func stores(latitude: Double, longitude: Double) async throws(APIClientError) -> IDStoresResponse {
        try await networkManager.request(endpoint: .stores(latitude: latitude, longitude: longitude))
    }
}
