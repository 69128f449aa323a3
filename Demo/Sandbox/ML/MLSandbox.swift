/// The meal ordering: every request must be signed.
struct MLSandbox: SandboxChannel {
    typealias Failure = MLFailure

    let prefix = "ml"
    let signature: MLSignature

    init(_ options: SandboxOptions) {
        signature = MLSignature(now: options.now)
    }

    var routes: [Route] {
        [
            .get("ml/restaurants", restaurants), .get("ml/restaurants/:id/menu", menu),
            .get("ml/orders/:id/events") { request in
                try MLOrderEvents.answer(request.parameters["id"] ?? "", after: request.header("last-event-id"))
            },
        ]
    }

    func admit(_ request: SandboxRequest) throws {
        try signature.check(request)
    }

    private func restaurants(_ request: SandboxRequest) throws -> SandboxAnswer {
        guard let place = GeoPoint(latitude: request.query("lat"), longitude: request.query("lon")) else {
            throw MLFailure.badLocation
        }
        let radius = request.query("radius", in: 1...100_000, default: 2_000)
        let near = MLTown.restaurants
            .map { MLRestaurantCard($0, seenFrom: place) }
            .filter { $0.distance <= radius }
            .sorted { $0.distance < $1.distance }
        return try .json(["restaurants": near])
    }

    private func menu(_ request: SandboxRequest) throws -> SandboxAnswer {
        let id = request.parameters["id"]
        guard let restaurant = MLTown.restaurants.first(where: { $0.id == id }) else { throw MLFailure.unknownRestaurant }
        return try .json(MLMenu(of: restaurant))
    }
}
