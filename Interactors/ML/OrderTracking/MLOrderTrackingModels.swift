/// A change of an order's state.
public struct MLOrderEvent: Decodable, Sendable, Hashable {
    public let orderId: String
    /// `accepted`, `cooking`, `onTheWay` or `delivered`; a later version may have others.
    public let status: String
    /// The time until the delivery; `nil` after it.
    public let minutesLeft: Int?
}
