public import CoreAPI

/// The chat with an order's courier.
public enum IDCourierEndpointItem: Endpoint {
    case chat(orderID: String)

    public var path: String {
        switch self {
        case .chat(let id): "orders/\(segment: id)/courier"
        }
    }

    public var method: HTTPRequest.Method { .get }
}
