public import CoreAPI

/// The requests to GIPHY.
public enum GIPHYGifsEndpointItem: Endpoint {
    /// https://developers.giphy.com/docs/api/endpoint#search
    case search(String, limit: Int, offset: Int, rating: GIPHYRating?, language: String?)
    /// https://developers.giphy.com/docs/api/endpoint#trending
    case trending(limit: Int, offset: Int, rating: GIPHYRating?)

    public var path: String {
        switch self {
        case .search: "search"
        case .trending: "trending"
        }
    }

    public var method: HTTPRequest.Method { .get }

    public var params: Parameters? {
        switch self {
        case .search(let query, let limit, let offset, let rating, let language):
            ["q": query, "limit": limit, "offset": offset, "rating": rating, "lang": language]
        case .trending(let limit, let offset, let rating):
            ["limit": limit, "offset": offset, "rating": rating]
        }
    }
}
