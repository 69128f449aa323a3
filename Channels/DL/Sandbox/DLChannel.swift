import Foundation

/// The second-hand shop: short-lived access tokens, issued for a refresh token.
struct DLChannel: SandboxChannel {
    static let refreshToken = "dl-sandbox-refresh"

    typealias Failure = DLFailure

    let prefix = "dl"
    let tokens: DLTokens

    init(_ options: SandboxOptions) {
        tokens = DLTokens(lifetime: options.tokenLifetime, now: options.now)
    }

    var openRoutes: [Route] { [.post("dl/auth/token", issueToken)] }

    var routes: [Route] { [.get("dl/orders", orders), .get("dl/orders/:id", order)] }

    /// Every other route needs a token.
    func admit(_ request: SandboxRequest) throws {
        let words = (request.header("authorization") ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { throw DLFailure.tokenMissing }
        guard tokens.isLive(String(words[1])) else { throw DLFailure.tokenExpired }
    }

    private func issueToken(_ request: SandboxRequest) throws -> SandboxAnswer {
        let body = try JSONDecoder().decode(DLTokenRequest.self, from: request.wholeBody())
        guard body.refreshToken == Self.refreshToken else { throw DLFailure.refreshInvalid }
        return try .json(
            DLTokenAnswer(accessToken: tokens.issue(), expiresIn: Int(tokens.lifetime.components.seconds)))
    }

    private func orders(_ request: SandboxRequest) throws -> SandboxAnswer {
        let page = request.query("page", in: 1...10_000, default: 1)
        let size = request.query("size", in: 1...50, default: 5)
        let all = DLOrderBook.orders
        return try .json(
            DLOrderPage(
                orders: all.dropFirst((page - 1) * size).prefix(size).map(DLOrderCard.init),
                page: page,
                totalPages: (all.count + size - 1) / size))
    }

    private func order(_ request: SandboxRequest) throws -> SandboxAnswer {
        let id = request.parameters["id"]
        guard let order = DLOrderBook.orders.first(where: { $0.id == id }) else { throw DLFailure.orderNotFound }
        return try .json(DLOrderDetail(order))
    }
}
