public import CoreAPI
public import MLNetworker

/// What a presenter needs of the list of restaurants.
@MainActor
public protocol MLRestaurantsInteractorInterface: AnyObject {
    var output: (any MLRestaurantsInteractorOutput)? { get set }

    /// Fetches the restaurants near a place; the output hears of them exactly once.
    ///
    /// - Parameter radius: in metres; `nil` for the server's 2,000.
    func fetchRestaurants(latitude: Double, longitude: Double, radius: Int?)
}

/// Hears which restaurants there are; on the main actor.
@MainActor
public protocol MLRestaurantsInteractorOutput: AnyObject {
    func handleRestaurantsResponse(_ result: Result<MLRestaurantsResponse, APIClientError>)
}

/// Gets the restaurants that deliver to a place.
public final class MLRestaurantsInteractor: MLNetworker<MLRestaurantsEndpointItem>, MLRestaurantsInteractorInterface {
    public weak var output: (any MLRestaurantsInteractorOutput)?

    public func fetchRestaurants(latitude: Double, longitude: Double, radius: Int?) {
        let near = MLRestaurantsEndpointItem.restaurants(latitude: latitude, longitude: longitude, radius: radius)
        networkManager.request(near, to: self) { $0.output?.handleRestaurantsResponse($1) }
    }

    /// The restaurants near a place, nearest first, for who can wait; from any actor.
    ///
    /// - Parameters:
    ///   - latitude: in degrees.
    ///   - longitude: in degrees.
    ///   - radius: in metres; `nil` for the server's 2,000.
    public nonisolated func restaurants(
        latitude: Double, longitude: Double, radius: Int? = nil
    ) async throws(APIClientError) -> MLRestaurantsResponse {
        try await networkManager.request(endpoint: .restaurants(latitude: latitude, longitude: longitude, radius: radius))
    }
}
