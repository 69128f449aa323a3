public import Foundation
@_exported public import NetworkerKitModels

/// The items of an order and its address.
public struct IDCheckoutRequest: Encodable, Sendable, Hashable {
    public let addressId: String
    public let items: [IDBasketItem]
    /// A note for the courier.
    public let note: String?

    public init(addressId: String, items: [IDBasketItem], note: String? = nil) {
        self.addressId = addressId
        self.items = items
        self.note = note
    }
}

/// A product and its quantity.
public struct IDBasketItem: Encodable, Sendable, Hashable {
    public let productId: String
    /// 1 to 99.
    public let quantity: Int

    public init(productId: String, quantity: Int) {
        self.productId = productId
        self.quantity = quantity
    }
}

/// A placed order.
public struct IDCheckoutResponse: Decodable, Sendable, Hashable {
    public let orderId: String
    public let total: Money
    /// Minutes until the delivery.
    public let estimatedMinutes: Int
    public let placedAt: Date
}
