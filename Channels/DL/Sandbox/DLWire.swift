import Foundation

/// What is sent to get an access token.
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

/// An order as lists show it.
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

/// An order as its own page shows it.
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

/// How far an order has come.
enum DLOrderStatus: String, Encodable, Sendable {
    case preparing, shipped, delivered, cancelled
}

/// A used thing and the state it is in.
struct DLItem: Encodable, Sendable {
    let name: String
    let condition: String
    let price: Money
}

/// Who carries a parcel.
struct DLShipment: Encodable, Sendable {
    let carrier: String
    let trackingCode: String
}
