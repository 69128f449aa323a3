@_exported public import ChannelModels
public import Foundation

/// What is ordered, and where it goes.
public struct IDCheckoutRequest: Encodable, Sendable, Hashable {
    public let addressId: String
    public let items: [IDBasketItem]
    /// What the courier should know.
    public let note: String?

    public init(addressId: String, items: [IDBasketItem], note: String? = nil) {
        self.addressId = addressId
        self.items = items
        self.note = note
    }
}

/// So many of one product.
public struct IDBasketItem: Encodable, Sendable, Hashable {
    public let productId: String
    /// 1 to 99.
    public let quantity: Int

    public init(productId: String, quantity: Int) {
        self.productId = productId
        self.quantity = quantity
    }
}

/// An order that was placed.
public struct IDCheckoutResponse: Decodable, Sendable, Hashable {
    public let orderId: String
    public let total: Money
    /// Until the goods are there.
    public let estimatedMinutes: Int
    public let placedAt: Date
}
