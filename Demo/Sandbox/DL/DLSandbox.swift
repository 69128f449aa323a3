import Foundation
import HTTPTypes

/// The second-hand shop: short-lived access tokens, issued for a refresh token.
struct DLSandbox: SandboxChannel {
    static let refreshToken = "dl-sandbox-refresh"

    typealias Failure = DLFailure

    let prefix = "dl"
    let tokens: DLTokens

    init(_ options: SandboxOptions) {
        tokens = DLTokens(lifetime: options.tokenLifetime, now: options.now)
    }

    var openRoutes: [Route] { [.post("dl/auth/token", issueToken)] }

    var routes: [Route] { [.get("dl/orders", orders), .get("dl/orders/:id", order), .post("dl/items", offer)] }

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

    /// Takes an item with its photos, and keeps neither.
    private func offer(_ request: SandboxRequest) throws -> SandboxAnswer {
        let form = try DLForm(request)
        guard let title = form["title"], let condition = form["condition"], let price = form["price"].flatMap({ Double($0) })
        else { throw Mishap.malformedBody }
        let photos = form.parts.filter { $0.name == "photo" && $0.fileName != nil }
        guard !photos.isEmpty else { throw DLFailure.photoMissing }
        return try .json(
            DLOffer(
                id: "DL-I-1", title: title, condition: condition, price: .lira(price),
                photos: photos.map { DLOffer.Photo(name: $0.fileName ?? "", size: $0.bytes.count) }),
            status: .created)
    }
}

extension SandboxServer {
    /// Makes all access tokens of the DL channel expired.
    public func expireTokens() {
        channel(DLSandbox.self)?.tokens.expireAll()
    }

    /// How many access tokens `/dl/auth/token` has issued.
    public var tokensIssued: Int { channel(DLSandbox.self)?.tokens.issued ?? 0 }
}
