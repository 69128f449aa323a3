import Hummingbird

/// The meal ordering: every request must be signed.
struct MLChannel: SandboxChannel {
    let prefix = "ml"
    let signature: MLSignature

    init(_ options: SandboxOptions) {
        signature = MLSignature(now: options.now)
    }

    func routes() -> Router<BasicRequestContext> {
        Router()
            .add(middleware: Envelope<MLFailure>())
            .add(middleware: Gate(admit: signature.check))
            .get("ml/restaurants", use: restaurants)
            .get("ml/restaurants/:id/menu", use: menu)
    }

    @Sendable private func restaurants(_ request: Request, _ context: BasicRequestContext) throws -> Response {
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

    @Sendable private func menu(_ request: Request, _ context: BasicRequestContext) throws -> Response {
        let id = context.parameters.get("id")
        guard let restaurant = MLTown.restaurants.first(where: { $0.id == id }) else { throw MLFailure.unknownRestaurant }
        return try .json(MLMenu(of: restaurant))
    }
}
