import NetworkerKitModels

/// The stores of the instant delivery and their prices.
enum IDShelves {
    static let stores: [IDStore] = [
        .init(1, "Beşiktaş Depo", .grocery, GeoPoint(41.0432, 29.0041), isOpen: true),
        .init(2, "Maçka Manav", .greengrocer, GeoPoint(41.0437, 28.9962), isOpen: true),
        .init(3, "Çarşı Su İstasyonu", .water, GeoPoint(41.0419, 29.0072), isOpen: true),
        .init(4, "Akaretler Çiçekçilik", .flowers, GeoPoint(41.0413, 29.0018), isOpen: false),
        .init(5, "Şişli Depo", .grocery, GeoPoint(41.0605, 28.9872), isOpen: true),
        .init(6, "Cihangir Fırın", .bakery, GeoPoint(41.0317, 28.9836), isOpen: true),
        .init(7, "Nişantaşı Pet", .pet, GeoPoint(41.0518, 28.9929), isOpen: false),
        .init(8, "Kadıköy Depo", .grocery, GeoPoint(40.9897, 29.0270), isOpen: true),
    ]

    /// The price of a product. All unlisted products have the same price, so that any id can be ordered.
    static func price(of productId: String) -> Money {
        .lira(prices[productId] ?? 49.90)
    }

    private static let prices: [String: Double] = [
        "p-ekmek": 15, "p-simit": 17.50, "p-sut-1l": 42.90, "p-yumurta-15": 94.50, "p-peynir-500g": 189.90,
        "p-zeytin-400g": 124.90, "p-cay-1kg": 229.90, "p-kahve-100g": 74.90, "p-domates-1kg": 54.90, "p-muz-1kg": 89.90,
        "p-limon-500g": 29.90, "p-su-19l": 110, "p-su-6x1.5l": 74.50, "p-makarna": 24.90, "p-pirinc-1kg": 84.90,
        "p-ayran-1l": 44.90, "p-cikolata": 39.90, "p-deterjan": 219.90, "p-papatya": 349.90, "p-mama-1kg": 264.90,
    ]
}

/// A store that takes orders.
struct IDStore: Sendable {
    enum Kind: String, Encodable, Sendable {
        case grocery, greengrocer, water, flowers, bakery, pet
    }

    let id: String
    let name: String
    let kind: Kind
    let place: GeoPoint
    let isOpen: Bool

    init(_ number: Int, _ name: String, _ kind: Kind, _ place: GeoPoint, isOpen: Bool) {
        self.id = "st-\(number)"
        self.name = name
        self.kind = kind
        self.place = place
        self.isOpen = isOpen
    }
}
