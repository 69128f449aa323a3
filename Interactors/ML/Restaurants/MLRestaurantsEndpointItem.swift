public import CoreAPI

/// The request for the list of restaurants.
public enum MLRestaurantsEndpointItem: Endpoint {
    /// - Parameters:
    ///   - latitude: in degrees, -90 to 90.
    ///   - longitude: in degrees, -180 to 180.
    ///   - radius: in metres; `nil` for the server's default of 2,000.
    case restaurants(latitude: Double, longitude: Double, radius: Int?)

    public var path: String { "restaurants" }

    public var method: HTTPRequest.Method { .get }

    public var params: Parameters? {
        switch self {
        case .restaurants(let latitude, let longitude, let radius): ["lat": latitude, "lon": longitude, "radius": radius]
        }
    }
}
