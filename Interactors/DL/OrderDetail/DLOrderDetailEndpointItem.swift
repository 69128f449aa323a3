public import CoreAPI

/// What an order's own page asks the second-hand shop for.
public enum DLOrderDetailEndpointItem: Endpoint {
    /// - Parameter id: as the list gives it: `DL-1`.
    case orderDetail(id: String)

    public var path: String {
        switch self {
        case .orderDetail(let id): "orders/\(segment: id)"
        }
    }

    public var method: HTTPRequest.Method { .get }
}
