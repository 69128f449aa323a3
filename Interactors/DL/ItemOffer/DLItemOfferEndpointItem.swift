public import CoreAPI

/// The request that puts an item up for sale.
public enum DLItemOfferEndpointItem: Endpoint {
    /// - Parameter item: the item; its photos are read while they are sent.
    case offer(DLNewItem)

    public var path: String { "items" }

    public var method: HTTPRequest.Method { .post }

    public var encoding: InputEncoding {
        switch self {
        case .offer(let item): .multipart(item.form)
        }
    }
}
