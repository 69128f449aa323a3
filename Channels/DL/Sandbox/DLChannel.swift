import Foundation
import Hummingbird

/// The second-hand shop: short-lived access tokens, issued for a refresh token.
struct DLChannel: SandboxChannel {
    static let refreshToken = "dl-sandbox-refresh"

    let prefix = "dl"
    let tokens: DLTokens

    init(_ options: SandboxOptions) {
        tokens = DLTokens(lifetime: options.tokenLifetime, now: options.now)
    }

    func routes() -> Router<BasicRequestContext> {
        Router()
            .add(middleware: Envelope<DLFailure>())
            .post("dl/auth/token", use: issueToken)
            // Routes below this line need a token.
            .add(middleware: Gate(admit: checkToken))
            .get("dl/orders", use: orders)
            .get("dl/orders/:id", use: order)
    }

    @Sendable private func checkToken(_ request: inout Request) throws {
        let words = (request.header("authorization") ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { throw DLFailure.tokenMissing }
        guard tokens.isLive(String(words[1])) else { throw DLFailure.tokenExpired }
    }

    @Sendable private func issueToken(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        var request = request
        let body = try JSONDecoder().decode(DLTokenRequest.self, from: try await request.wholeBody())
        guard body.refreshToken == Self.refreshToken else { throw DLFailure.refreshInvalid }
        return try .json(
            DLTokenAnswer(accessToken: tokens.issue(), expiresIn: Int(tokens.lifetime.components.seconds)))
    }

    @Sendable private func orders(_ request: Request, _ context: BasicRequestContext) throws -> Response {
        let page = request.query("page", in: 1...10_000, default: 1)
        let size = request.query("size", in: 1...50, default: 5)
        let all = DLOrderBook.orders
        return try .json(
            DLOrderPage(
                orders: all.dropFirst((page - 1) * size).prefix(size).map(DLOrderCard.init),
                page: page,
                totalPages: (all.count + size - 1) / size))
    }

    @Sendable private func order(_ request: Request, _ context: BasicRequestContext) throws -> Response {
        let id = context.parameters.get("id")
        guard let order = DLOrderBook.orders.first(where: { $0.id == id }) else { throw DLFailure.orderNotFound }
        return try .json(DLOrderDetail(order))
    }
}
