import NetworkerKitModels

/// The restaurants, all in Istanbul: most around Beşiktaş, a few across the Bosphorus.
enum MLTown {
    static let restaurants: [MLRestaurant] = [
        .init(1, "Çarşı Kebap", .kebap, 4.6, GeoPoint(41.0430, 29.0060), 22, 250),
        .init(2, "Akaretler Burger", .burger, 4.3, GeoPoint(41.0416, 29.0010), 18, 220),
        .init(3, "Maçka Ev Yemekleri", .home, 4.7, GeoPoint(41.0421, 28.9948), 20, 180),
        .init(4, "Pideci Hüseyin Usta", .pide, 4.5, GeoPoint(41.0447, 29.0079), 19, 200),
        .init(5, "Nişantaşı Pizza", .pizza, 4.2, GeoPoint(41.0502, 28.9931), 25, 260),
        .init(6, "Balıkçı Şükrü", .fish, 4.8, GeoPoint(41.0424, 29.0091), 30, 400),
        .init(7, "Dolmabahçe Köftecisi", .kebap, 4.5, GeoPoint(41.0394, 29.0008), 17, 190),
        .init(8, "Ihlamur Tatlıcısı", .dessert, 4.9, GeoPoint(41.0481, 29.0015), 12, 120),
        .init(9, "Gümüşsuyu Lahmacun", .pide, 4.4, GeoPoint(41.0369, 28.9893), 16, 160),
        .init(10, "Taksim Islak Burger", .burger, 3.9, GeoPoint(41.0370, 28.9851), 14, 100),
        .init(11, "Vişnezade Kahve", .coffee, 4.6, GeoPoint(41.0409, 28.9981), 10, 90),
        .init(12, "Karaköy Balık Ekmek", .fish, 4.3, GeoPoint(41.0240, 28.9772), 20, 150),
        .init(13, "Ortaköy Kumpir", .home, 4.1, GeoPoint(41.0478, 29.0270), 18, 130),
        .init(14, "Üsküdar Ocakbaşı", .kebap, 4.7, GeoPoint(41.0262, 29.0152), 28, 300),
        .init(15, "Kadıköy Künefe", .dessert, 4.8, GeoPoint(40.9903, 29.0281), 15, 140),
        .init(16, "Moda Pizza Fırını", .pizza, 4.6, GeoPoint(40.9822, 29.0257), 24, 240),
    ]
}

/// A restaurant.
struct MLRestaurant: Sendable {
    let id: String
    let name: String
    let cuisine: MLCuisine
    let rating: Double
    let place: GeoPoint
    /// Minutes until a courier is available.
    let preparation: Int
    let minimumBasket: Money

    init(
        _ number: Int, _ name: String, _ cuisine: MLCuisine, _ rating: Double, _ place: GeoPoint, _ preparation: Int,
        _ minimumBasket: Double
    ) {
        self.id = "ml-\(number)"
        self.name = name
        self.cuisine = cuisine
        self.rating = rating
        self.place = place
        self.preparation = preparation
        self.minimumBasket = .lira(minimumBasket)
    }
}
