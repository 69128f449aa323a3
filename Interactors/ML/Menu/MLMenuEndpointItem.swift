public import CoreAPI

/// The request for a restaurant's menu.
public enum MLMenuEndpointItem: Endpoint {
    /// - Parameter restaurantID: an id from the list of restaurants: `ml-7`.
    case menu(restaurantID: String)

    public var path: String {
        switch self {
        case .menu(let id): "restaurants/\(segment: id)/menu"
        }
    }

    public var method: HTTPRequest.Method { .get }
}
