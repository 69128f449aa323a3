public import CoreAPI
public import MLNetworker

/// What a presenter needs of the list of restaurants.
@MainActor
public protocol MLRestaurantsInteractorInterface: AnyObject {
    var output: (any MLRestaurantsInteractorOutput)? { get set }

    /// Fetches the restaurants near a point; calls the output exactly once.
    ///
    /// - Parameter radius: in metres; `nil` for the server's 2,000.
    func fetchRestaurants(latitude: Double, longitude: Double, radius: Int?)
}

/// Gets the restaurants that were found; called on the main actor.
@MainActor
public protocol MLRestaurantsInteractorOutput: AnyObject {
    func handleRestaurantsResponse(_ result: Result<MLRestaurantsResponse, APIClientError>)
}

/// Gets the restaurants that deliver to a point.
public final class MLRestaurantsInteractor: MLNetworker<MLRestaurantsEndpointItem>, MLRestaurantsInteractorInterface {
    public weak var output: (any MLRestaurantsInteractorOutput)?

    public func fetchRestaurants(latitude: Double, longitude: Double, radius: Int?) {
        request(.restaurants(latitude: latitude, longitude: longitude, radius: radius)) {
            $0.output?.handleRestaurantsResponse($1)
        }
    }

    /// Awaits the restaurants near a point, nearest first; from any actor.
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
