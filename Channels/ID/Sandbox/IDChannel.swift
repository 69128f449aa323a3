import Foundation
import HTTPTypes
import Hummingbird

/// The instant delivery: a session, and checkouts that can be retried without a second order.
struct IDChannel: SandboxChannel {
    static let sessionID = "id-sandbox-session"
    /// The largest distance of a delivery, in metres.
    static let reach = 10_000

    let prefix = "id"
    let orders: IDOrders

    init(_ options: SandboxOptions) {
        orders = IDOrders(failsFirst: options.failFirstCheckout, now: options.now)
    }

    func routes() -> Router<BasicRequestContext> {
        Router()
            .add(middleware: Envelope<IDFailure>())
            .add(middleware: Gate(admit: checkSession))
            .get("id/stores", use: stores)
            .post("id/baskets/:basketId/checkout", use: checkout)
    }

    @Sendable private func checkSession(_ request: inout Request) throws {
        guard request.header("x-session-id") == Self.sessionID else { throw IDFailure.sessionExpired }
    }

    @Sendable private func stores(_ request: Request, _ context: BasicRequestContext) throws -> Response {
        guard let place = GeoPoint(latitude: request.query("lat"), longitude: request.query("lon")) else {
            throw IDFailure.locationInvalid
        }
        let near = IDShelves.stores
            .map { IDStoreCard($0, seenFrom: place) }
            .filter { $0.distance <= Self.reach }
            .sorted { $0.distance < $1.distance }
        return try .json(["stores": near])
    }

    @Sendable private func checkout(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        guard let key = request.header("idempotency-key") else { throw IDFailure.idempotencyKeyMissing }
        var request = request
        let body = try JSONDecoder().decode(IDCheckout.self, from: try await request.wholeBody())
        let basket = try context.parameters.require("basketId")

        switch try orders.place(body, basket: basket, key: key) {
        case .placed(let order): return try .json(order, status: .created)
        case .replayed(let order): return try .json(order, status: .created, headers: Self.replayMark)
        case .placedUnseen: throw IDFailure.tryAgain
        }
    }

    private static let replayMark: HTTPFields = {
        var fields = HTTPFields()
        if let name = HTTPField.Name("idempotency-replayed") { fields[name] = "true" }
        return fields
    }()
}
