public import CoreAPI

/// What a restaurant's page asks the meal ordering for.
public enum MLMenuEndpointItem: Endpoint {
    /// - Parameter restaurantID: as the list of restaurants gives it: `ml-7`.
    case menu(restaurantID: String)

    public var path: String {
        switch self {
        case .menu(let id): "restaurants/\(segment: id)/menu"
        }
    }

    public var method: HTTPRequest.Method { .get }
}
