/// What happened to an order.
public struct MLOrderEvent: Decodable, Sendable, Hashable {
    public let orderId: String
    /// `accepted`, `cooking`, `onTheWay` or `delivered`; a later version may have others.
    public let status: String
    /// Until the delivery; `nil` after it.
    public let minutesLeft: Int?
}
