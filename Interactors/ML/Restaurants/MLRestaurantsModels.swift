@_exported public import NetworkerKitModels

/// The restaurants near a point, nearest first.
public struct MLRestaurantsResponse: Decodable, Sendable, Hashable {
    public let restaurants: [MLRestaurant]
}

/// A restaurant, seen from the requested point.
public struct MLRestaurant: Decodable, Sendable, Hashable, Identifiable {
    public let id: String
    public let name: String
    public let cuisine: String
    /// 0 to 5.
    public let rating: Double
    /// In metres.
    public let distance: Int
    /// Minutes until the delivery.
    public let deliveryMinutes: Int
    public let minimumBasket: Money
}
