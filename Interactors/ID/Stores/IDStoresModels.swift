/// The stores that deliver to a point, nearest first.
public struct IDStoresResponse: Decodable, Sendable, Hashable {
    public let stores: [IDStore]
}

/// A store, seen from the requested point.
public struct IDStore: Decodable, Sendable, Hashable, Identifiable {
    public let id: String
    public let name: String
    public let kind: IDStoreKind
    /// In metres.
    public let distance: Int
    /// Minutes until the delivery.
    public let etaMinutes: Int
    public let isOpen: Bool
}

/// The kind of a store. An unknown kind is kept, not rejected.
public struct IDStoreKind: RawRepresentable, Decodable, Sendable, Hashable {
    public static let grocery = IDStoreKind(rawValue: "grocery")
    public static let greengrocer = IDStoreKind(rawValue: "greengrocer")
    public static let water = IDStoreKind(rawValue: "water")
    public static let flowers = IDStoreKind(rawValue: "flowers")
    public static let bakery = IDStoreKind(rawValue: "bakery")
    public static let pet = IDStoreKind(rawValue: "pet")

    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}
