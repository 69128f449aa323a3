public import CoreAPI
public import MLNetworker

/// The interface of the list of restaurants, for a presenter.
@MainActor
public protocol MLRestaurantsInteractorInterface: AnyObject {
    var output: (any MLRestaurantsInteractorOutput)? { get set }

    /// Fetches the restaurants near a point; calls the output exactly once.
    ///
    /// - Parameter radius: in metres; `nil` for the server's default of 2,000.
    func fetchRestaurants(latitude: Double, longitude: Double, radius: Int?)
}

/// Receives the result, on the main actor.
@MainActor
public protocol MLRestaurantsInteractorOutput: AnyObject {
    func handleRestaurantsResponse(_ result: Result<MLRestaurantsResponse, APIClientError>)
}

/// Fetches the restaurants that deliver to a point.
public final class MLRestaurantsInteractor: MLNetworker<MLRestaurantsEndpointItem>, MLRestaurantsInteractorInterface {
    public weak var output: (any MLRestaurantsInteractorOutput)?

    public func fetchRestaurants(latitude: Double, longitude: Double, radius: Int?) {
        request(.restaurants(latitude: latitude, longitude: longitude, radius: radius)) {
            $0.output?.handleRestaurantsResponse($1)
        }
    }

    /// Fetches the restaurants near a point and awaits them, nearest first; from any actor.
    ///
    /// - Parameters:
    ///   - latitude: in degrees.
    ///   - longitude: in degrees.
    ///   - radius: in metres; `nil` for the server's default of 2,000.
    public nonisolated func restaurants(
        latitude: Double, longitude: Double, radius: Int? = nil
    ) async throws(APIClientError) -> MLRestaurantsResponse {
        try await networkManager.request(endpoint: .restaurants(latitude: latitude, longitude: longitude, radius: radius))
    }
}
