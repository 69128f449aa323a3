import Foundation
import NetworkerKitModels

/// The request for an access token.
struct DLTokenRequest: Decodable {
    let refreshToken: String
}

/// An access token and its lifetime in seconds.
struct DLTokenAnswer: Encodable {
    let accessToken: String
    let expiresIn: Int
}

/// One page of orders; the first is page 1.
struct DLOrderPage: Encodable {
    let orders: [DLOrderCard]
    let page: Int
    let totalPages: Int
}

/// An order in a list.
struct DLOrderCard: Encodable {
    let id: String
    let title: String
    let status: DLOrderStatus
    let price: Money
    let createdAt: Date
    let seller: String

    init(_ order: DLOrder) {
        id = order.id
        title = order.title
        status = order.status
        price = order.price
        createdAt = order.createdAt
        seller = order.seller
    }
}

/// An order's details.
struct DLOrderDetail: Encodable {
    let id: String
    let title: String
    let status: DLOrderStatus
    let price: Money
    let createdAt: Date
    let seller: String
    let items: [DLItem]
    let shipment: OrNull<DLShipment>

    init(_ order: DLOrder) {
        id = order.id
        title = order.title
        status = order.status
        price = order.price
        createdAt = order.createdAt
        seller = order.seller
        items = order.items
        shipment = OrNull(order.shipment)
    }
}

/// The status of an order.
enum DLOrderStatus: String, Encodable, Sendable {
    case preparing, shipped, delivered, cancelled
}

/// A used item and its condition.
struct DLItem: Encodable, Sendable {
    let name: String
    let condition: String
    let price: Money
}

/// The carrier of a parcel.
struct DLShipment: Encodable, Sendable {
    let carrier: String
    let trackingCode: String
}

/// An item that was put up for sale.
struct DLOffer: Encodable {
    struct Photo: Encodable {
        let name: String
        let size: Int
    }

    let id: String
    let title: String
    let condition: String
    let price: Money
    let photos: [Photo]
}
