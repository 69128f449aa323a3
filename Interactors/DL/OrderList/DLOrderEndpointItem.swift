public import CoreAPI

/// What the order list asks the second-hand shop for.
public enum DLOrderEndpointItem: Endpoint {
    /// - Parameter path: which part of the list, as a query: `page=1&size=5`; empty for its beginning.
    case orderList(path: String)

    public var path: String {
        switch self {
        case .orderList(let path): "orders?\(path)"
        }
    }

    public var method: HTTPRequest.Method { .get }
}
