/// The value that typed calls decode: six fields, as in a shop's list.
public struct Item: Codable, Sendable {
    public let id: Int
    public let name: String
    public let price: Double
    public let inStock: Bool
    public let rating: Double
    public let category: String

    public init(id: Int, name: String, price: Double, inStock: Bool, rating: Double, category: String) {
        self.id = id
        self.name = name
        self.price = price
        self.inStock = inStock
        self.rating = rating
        self.category = category
    }
}

/// The data of an event in a stream of them.
public struct Tick: Codable, Sendable {
    public let symbol: String
    public let price: Double
    public let volume: Int

    public init(symbol: String, price: Double, volume: Int) {
        self.symbol = symbol
        self.price = price
        self.volume = volume
    }
}

/// One page of them.
public struct Page: Codable, Sendable {
    public let page: Int
    public let total: Int
    public let items: [Item]

    public init(page: Int, total: Int, items: [Item]) {
        self.page = page
        self.total = total
        self.items = items
    }
}
