public import CoreAPI

/// The request for the events of an order.
public enum MLOrderTrackingEndpointItem: Endpoint {
    /// - Parameter orderID: an order's id: `ml-o-1`.
    case events(orderID: String)

    public var path: String {
        switch self {
        case .events(let id): "orders/\(segment: id)/events"
        }
    }

    public var method: HTTPRequest.Method { .get }
}
