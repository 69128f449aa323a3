public import CoreAPI

/// The request for a product's details.
public enum TYProductDetailEndpointItem: Endpoint {
    case productDetail(id: Int)

    public var path: String {
        switch self {
        case .productDetail(let id): "discovery/v1/products/\(id)"
        }
    }

    public var method: HTTPRequest.Method { .get }
}
