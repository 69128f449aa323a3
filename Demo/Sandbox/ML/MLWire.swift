import NetworkerKitModels

/// A restaurant, seen from the customer's location; the distance is in metres.
struct MLRestaurantCard: Encodable {
    let id: String
    let name: String
    let cuisine: String
    let rating: Double
    let distance: Int
    let deliveryMinutes: Int
    let minimumBasket: Money

    init(_ restaurant: MLRestaurant, seenFrom place: GeoPoint) {
        id = restaurant.id
        name = restaurant.name
        cuisine = restaurant.cuisine.rawValue
        rating = restaurant.rating
        distance = restaurant.place.distance(to: place)
        // A courier covers about 200 metres a minute.
        deliveryMinutes = restaurant.preparation + distance / 200
        minimumBasket = restaurant.minimumBasket
    }
}

/// A restaurant's menu.
struct MLMenu: Encodable {
    let restaurantId: String
    let sections: [MLMenuSection]

    init(of restaurant: MLRestaurant) {
        restaurantId = restaurant.id
        sections = restaurant.cuisine.menu.enumerated().map { index, section in
            MLMenuSection(section, idPrefix: "\(restaurant.id)-\(index + 1)")
        }
    }
}

/// A part of a menu.
struct MLMenuSection: Encodable {
    let name: String
    let items: [MLMenuItem]

    init(_ section: MLCuisine.Section, idPrefix: String) {
        name = section.name
        items = section.dishes.enumerated().map { index, dish in
            MLMenuItem(
                id: "\(idPrefix)\(index + 1)",
                name: dish.name,
                description: dish.description,
                price: dish.price,
                isAvailable: dish.isAvailable)
        }
    }
}

/// A dish.
struct MLMenuItem: Encodable {
    let id: String
    let name: String
    let description: String
    let price: Money
    let isAvailable: Bool
}
