public import CoreAPI

/// The request for an order's details.
public enum DLOrderDetailEndpointItem: Endpoint {
    /// - Parameter id: an id from the list: `DL-1`.
    case orderDetail(id: String)

    public var path: String {
        switch self {
        case .orderDetail(let id): "orders/\(segment: id)"
        }
    }

    public var method: HTTPRequest.Method { .get }
}
