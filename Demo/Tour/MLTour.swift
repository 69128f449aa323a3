internal import CoreAPI
internal import Foundation
internal import MLInteractors

extension DemoTour {
    /// Finds restaurants near a point, and reads the menu of the nearest.
    static let ml = DemoTour(channel: "ML", prefix: "ml") { guide in
        let found = await guide.visit("restaurants") {
            try await MLRestaurantsInteractor().restaurants(latitude: 41.0422, longitude: 29.0083, radius: 1_500)
        } sample: { found in
            DemoSample(
                "\(found.restaurants.count) within 1,500 m of Beşiktaş",
                found.restaurants.map {
                    "\($0.id)  \($0.name), \($0.cuisine), \($0.distance) m, \($0.deliveryMinutes) min, \($0.rating) of 5"
                })
        }
        guard let nearest = found?.restaurants.first else { return guide.skip("menu", "no restaurant was found") }
        _ = await guide.visit("menu") {
            try await MLMenuInteractor().menu(restaurantID: nearest.id)
        } sample: { menu in
            DemoSample(
                "\(nearest.name): " + menu.sections.map { "\($0.name) (\($0.items.count))" }.joined(separator: ", "),
                menu.sections.flatMap(\.items).map {
                    "\($0.name), \($0.price.amount.price(in: $0.price.currency))" + ($0.isAvailable ? "" : ", not today")
                })
        }
        _ = await guide.visit("order events") {
            var events: [MLOrderEvent] = []
            for try await event in MLOrderTrackingInteractor().events(orderID: "ml-o-1") { events.append(event.data) }
            return events
        } sample: { events in
            DemoSample(
                "\(events.count) events of one order, over two connections",
                events.map { $0.status + ($0.minutesLeft.map { ", \($0) min left" } ?? "") })
        }
    }
}
