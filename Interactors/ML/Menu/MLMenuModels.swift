@_exported public import NetworkerKitModels

/// A restaurant's menu.
public struct MLMenuResponse: Decodable, Sendable, Hashable {
    public let restaurantId: String
    public let sections: [MLMenuSection]
}

/// A part of a menu, such as soups or grills.
public struct MLMenuSection: Decodable, Sendable, Hashable {
    public let name: String
    public let items: [MLMenuItem]
}

/// A dish.
public struct MLMenuItem: Decodable, Sendable, Hashable, Identifiable {
    public let id: String
    public let name: String
    public let description: String
    public let price: Money
    /// Whether it can be ordered today.
    public let isAvailable: Bool
}
