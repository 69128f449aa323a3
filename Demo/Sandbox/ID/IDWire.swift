import Foundation
import NetworkerKitModels

/// A store, seen from the customer's location; the distance is in metres.
struct IDStoreCard: Encodable {
    let id: String
    let name: String
    let kind: IDStore.Kind
    let distance: Int
    let etaMinutes: Int
    let isOpen: Bool

    init(_ store: IDStore, seenFrom place: GeoPoint) {
        id = store.id
        name = store.name
        kind = store.kind
        distance = store.place.distance(to: place)
        // Ten minutes to pick the goods, and about 250 metres a minute for the scooter.
        etaMinutes = 10 + distance / 250
        isOpen = store.isOpen
    }
}

/// The request of a checkout. Two are equal if their contents are, whatever the order of their keys.
struct IDCheckout: Decodable, Equatable, Sendable {
    struct Item: Decodable, Equatable, Sendable {
        let productId: String
        let quantity: Int
    }

    let addressId: String
    let items: [Item]
    let note: String?
}

/// A placed order.
struct IDOrder: Encodable, Sendable {
    let orderId: String
    let total: Money
    let estimatedMinutes: Int
    let placedAt: Date
}
