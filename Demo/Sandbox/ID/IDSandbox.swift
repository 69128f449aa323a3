import Foundation
import HTTPTypes

/// The instant delivery: a session, and checkouts that can be retried without a second order.
struct IDSandbox: SandboxChannel {
    static let sessionID = "id-sandbox-session"
    /// The largest distance of a delivery, in metres.
    static let reach = 10_000

    typealias Failure = IDFailure

    let prefix = "id"
    let orders: IDOrders

    init(_ options: SandboxOptions) {
        orders = IDOrders(failsFirst: options.failFirstCheckout, now: options.now)
    }

    var routes: [Route] {
        [
            .get("id/stores", stores), .post("id/baskets/:basketId/checkout", checkout),
            .get("id/orders/:orderId/courier", courier),
        ]
    }

    func admit(_ request: SandboxRequest) throws {
        guard request.header("x-session-id") == Self.sessionID else { throw IDFailure.sessionExpired }
    }

    private func stores(_ request: SandboxRequest) throws -> SandboxAnswer {
        guard let place = GeoPoint(latitude: request.query("lat"), longitude: request.query("lon")) else {
            throw IDFailure.locationInvalid
        }
        let near = IDShelves.stores
            .map { IDStoreCard($0, seenFrom: place) }
            .filter { $0.distance <= Self.reach }
            .sorted { $0.distance < $1.distance }
        return try .json(["stores": near])
    }

    private func courier(_ request: SandboxRequest) throws -> SandboxAnswer {
        .webSocket(IDCourier(order: request.parameters["orderId"] ?? "").chat)
    }

    private func checkout(_ request: SandboxRequest) throws -> SandboxAnswer {
        guard let key = request.header("idempotency-key") else { throw IDFailure.idempotencyKeyMissing }
        let body = try JSONDecoder().decode(IDCheckout.self, from: request.wholeBody())

        switch try orders.place(body, basket: request.parameters["basketId"] ?? "", key: key) {
        case .placed(let order): return try .json(order, status: .created)
        case .replayed(let order): return try .json(order, status: .created, headers: [("idempotency-replayed", "true")])
        case .placedUnseen: throw IDFailure.tryAgain
        }
    }
}

extension SandboxServer {
    /// How many orders the ID channel's checkout has placed, without replayed answers.
    public var ordersPlaced: Int { channel(IDSandbox.self)?.orders.placed ?? 0 }
}
