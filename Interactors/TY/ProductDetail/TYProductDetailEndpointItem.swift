public import CoreAPI

/// What a product's own page asks the marketplace for.
public enum TYProductDetailEndpointItem: Endpoint {
    case productDetail(id: Int)

    public var path: String {
        switch self {
        case .productDetail(let id): "discovery/v1/products/\(id)"
        }
    }

    public var method: HTTPRequest.Method { .get }
}
