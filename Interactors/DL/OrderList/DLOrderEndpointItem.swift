public import CoreAPI

/// The request for the order list.
public enum DLOrderEndpointItem: Endpoint {
    /// - Parameter path: the part of the list as a query: `page=1&size=5`; empty for the first page.
    case orderList(path: String)

    public var path: String {
        switch self {
        case .orderList(let path): "orders?\(path)"
        }
    }

    public var method: HTTPRequest.Method { .get }
}
