import Foundation

/// A store as seen from where the customer is; the distance is in metres.
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
        // Ten minutes to pick, and a scooter that covers about 250 metres a minute.
        etaMinutes = 10 + distance / 250
        isOpen = store.isOpen
    }
}

/// What is sent to check a basket out. Two are the same when they say the same, whatever the order of their keys.
struct IDCheckout: Decodable, Equatable, Sendable {
    struct Item: Decodable, Equatable, Sendable {
        let productId: String
        let quantity: Int
    }

    let addressId: String
    let items: [Item]
    let note: String?
}

/// An order that was placed.
struct IDOrder: Encodable, Sendable {
    let orderId: String
    let total: Money
    let estimatedMinutes: Int
    let placedAt: Date
}
