public import CoreAPI

/// The request for the order list.
public enum DLOrderEndpointItem: Endpoint {
    /// - Parameters:
    ///   - page: from 1.
    ///   - size: the orders of a page; `nil` for the server's number.
    case orderList(page: Int = 1, size: Int? = nil)

    public var path: String { "orders" }
    public var method: HTTPRequest.Method { .get }

    public var params: Parameters? {
        switch self {
        case .orderList(let page, let size): ["page": page, "size": size]
        }
    }
}
