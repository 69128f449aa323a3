public import CoreAPI

/// The request for the list of stores.
public enum IDStoresEndpointItem: Endpoint {
    /// - Parameters:
    ///   - latitude: in degrees, -90 to 90.
    ///   - longitude: in degrees, -180 to 180.
    case stores(latitude: Double, longitude: Double)

    public var path: String { "stores" }

    public var method: HTTPRequest.Method { .get }

    public var params: Parameters? {
        switch self {
        case .stores(let latitude, let longitude): ["lat": latitude, "lon": longitude]
        }
    }
}
