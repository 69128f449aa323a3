public import CoreAPI

/// The checkout's request.
public enum IDBasketEndpointItem: Endpoint {
    /// - Parameter idempotencyKey: see ``IDBasketInteractor/checkout(basketID:_:idempotencyKey:)``.
    case checkout(basketID: String, IDCheckoutRequest, idempotencyKey: String? = nil)

    public var path: String {
        switch self {
        case .checkout(let id, _, _): "baskets/\(segment: id)/checkout"
        }
    }

    public var method: HTTPRequest.Method { .post }

    public var headers: Headers {
        switch self {
        case .checkout(_, _, let key?): ["Idempotency-Key": key]
        case .checkout: [:]
        }
    }

    public var params: Parameters? {
        switch self {
        case .checkout(_, let checkout, _): Parameters(checkout)
        }
    }
}
