import MLInteractors
import MLNetworker
import TestSupport

@Suite("ML: restaurants and menus")
struct MLRestaurantsTests {
    @Test("restaurants are sorted by distance, within the radius, with every field")
    func near() async throws {
        let found = try await withSandbox(.ml.at(.sandbox)) { _ in
            try await MLRestaurantsInteractor().restaurants(latitude: 41.04, longitude: 29.00, radius: 1_500).restaurants
        }
        #expect(!found.isEmpty && found.map(\.distance) == found.map(\.distance).sorted())
        #expect(found.allSatisfy { $0.distance <= 1_500 && $0.deliveryMinutes > 0 && $0.minimumBasket.currency == "TRY" })
        #expect(found.allSatisfy { !$0.name.isEmpty && !$0.cuisine.isEmpty && (0...5).contains($0.rating) })
    }

    @Test("without a radius the server uses its own")
    func defaultRadius() async throws {
        try await withSandbox(.ml.at(.sandbox)) { _ in
            let interactor = MLRestaurantsInteractor()
            let usual = try await interactor.restaurants(latitude: 41.04, longitude: 29.00)
            #expect(usual == (try await interactor.restaurants(latitude: 41.04, longitude: 29.00, radius: 2_000)))
        }
    }

    @Test("an impossible location is the channel's own error")
    func badPlace() async throws {
        let failure = try await rejection(MLError.self, on: .ml.at(.sandbox)) {
            try await MLRestaurantsInteractor().restaurants(latitude: 141, longitude: 29)
        }
        #expect(failure.code == 1100 && failure.httpStatus == 400 && !failure.reason.isEmpty)
    }

    @Test("a menu has sections with dishes")
    func menu() async throws {
        let menu = try await withSandbox(.ml.at(.sandbox)) { _ in try await MLMenuInteractor().menu(restaurantID: "ml-7") }
        #expect(menu.restaurantId == "ml-7")
        #expect(!menu.sections.isEmpty && menu.sections.allSatisfy { !$0.items.isEmpty })
        let dishes = menu.sections.flatMap(\.items)
        #expect(Set(dishes.map(\.id)).count == dishes.count)
        #expect(dishes.allSatisfy { $0.price.amount > 0 })
    }

    @Test("an unknown restaurant is the channel's own error")
    func unknown() async throws {
        let failure = try await rejection(MLError.self, on: .ml.at(.sandbox)) {
            try await MLMenuInteractor().menu(restaurantID: "ml-99")
        }
        #expect(failure.code == 1404 && failure.httpStatus == 404)
    }

    @Test("in the delegate form the output is called exactly once, on the main actor")
    @MainActor func delegate() async throws {
        try await withSandbox(.ml.at(.sandbox)) { _ in
            let (restaurants, menu, output) = (MLRestaurantsInteractor(), MLMenuInteractor(), Page())
            (restaurants.output, menu.output) = (output, output)
            restaurants.fetchRestaurants(latitude: 41.04, longitude: 29.00, radius: nil)
            menu.fetchMenu(restaurantID: "ml-1")
            try await eventually("the output heard too little") { await output.results.count == 2 }
            _ = try await menu.menu(restaurantID: "ml-2")
            #expect(try output.results.map { try $0.get() }.sorted() == ["menu", "restaurants"])
            #expect(output.wasAlwaysOnMainQueue)
        }
    }

    private final class Page: Output<String>, MLRestaurantsInteractorOutput, MLMenuInteractorOutput {
        func handleRestaurantsResponse(_ result: Result<MLRestaurantsResponse, APIClientError>) {
            hear(result.map { _ in "restaurants" })
        }

        func handleMenuResponse(_ result: Result<MLMenuResponse, APIClientError>) { hear(result.map { _ in "menu" }) }
    }
}
