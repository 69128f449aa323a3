public import CoreAPI
public import IDNetworker

/// What a presenter needs of the list of stores.
@MainActor
public protocol IDStoresInteractorInterface: AnyObject {
    var output: (any IDStoresInteractorOutput)? { get set }

    /// Fetches the stores that deliver to a place; the output hears of them exactly once.
    func fetchStores(latitude: Double, longitude: Double)
}

/// Hears which stores there are; on the main actor.
@MainActor
public protocol IDStoresInteractorOutput: AnyObject {
    func handleStoresResponse(_ result: Result<IDStoresResponse, APIClientError>)
}

/// Gets the stores that deliver to a place.
public final class IDStoresInteractor: IDNetworker<IDStoresEndpointItem>, IDStoresInteractorInterface {
    public weak var output: (any IDStoresInteractorOutput)?

    public func fetchStores(latitude: Double, longitude: Double) {
        let near = IDStoresEndpointItem.stores(latitude: latitude, longitude: longitude)
        networkManager.request(near, to: self) { $0.output?.handleStoresResponse($1) }
    }

    /// The stores that deliver to a place, nearest first, for who can wait; from any actor.
    ///
    /// - Parameters:
    ///   - latitude: in degrees.
    ///   - longitude: in degrees.
    public nonisolated func stores(latitude: Double, longitude: Double) async throws(APIClientError) -> IDStoresResponse {
        try await networkManager.request(endpoint: .stores(latitude: latitude, longitude: longitude))
    }
}
