public import CoreAPI

/// The request for a page of the product search.
public enum TYProductSearchEndpointItem: Endpoint {
    /// - Parameters:
    ///   - query: words that the name or the brand must contain; empty finds everything.
    ///   - page: from 0.
    ///   - size: products per page, 1 to 50.
    case search(query: String, page: Int, size: Int)

    public var path: String { "discovery/v1/products/search" }

    public var method: HTTPRequest.Method { .get }

    public var params: Parameters? {
        switch self {
        case .search(let query, let page, let size): ["q": query, "page": page, "size": size]
        }
    }
}
