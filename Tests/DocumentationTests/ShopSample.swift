// The articles' samples of a channel and its hooks; PagesTests compares them.

import CoreAPI
import Foundation
import HTTPTypes

struct Tenant: RequestModifier {
    let name: String
}

struct TenantEnhancer: RequestEnhancer {
    func enhance(_ request: inout Request) throws {
        guard let tenant = request.modifier(Tenant.self) else { return }
        try request.setHeader("X-Tenant", tenant.name)
    }
}

enum ShopHost: String, EnvironmentType {
    case production, simulated

    var baseURL: String { "https://api.shop.example/v2" }
    var isSimulated: Bool { self == .simulated }
}

struct ShopError: Error, Decodable {
    let code: String
}

extension Channel {
    static func shop(_ host: ShopHost) -> Channel {
        let environment = APIEnvironment(
            host, commonHeaders: ["X-Client": "app"], specificHeaders: ["basket": ["X-Basket-Version": "3"]])
        var channel = Channel(name: "shop", environment: environment)
        channel.interceptors = [RetryPolicy()]
        channel.errorFilter = .rejection(ShopError.self)
        return channel
    }
}

enum ShopEndpoint: Endpoint {
    case product(Int)

    var path: String {
        switch self {
        case .product(let id): "products/\(id)"
        }
    }
    var method: HTTPRequest.Method { .get }
}

struct Product: Decodable, Equatable, Sendable {
    let id: Int
}

struct BakeryError: Error, Decodable, Equatable {
    let code: String
}

struct BakeryEnvelope: Decodable {
    let error: BakeryError?
}

extension Channel {
    static let bakery = Channel(
        "Bakery", "sells bread",
        hosts: [
            .production: "https://api.bakery.example", .staging: "https://staging.bakery.example", .sandbox: .local("bakery"),
        ]
    )
    .credential(.header("x-api-key", .environment("BAKERY_API_KEY", sandbox: "sandbox-key")))
    .locale(Locale(identifier: "tr_TR"), bcp47: "Accept-Language")
    .payload("result", error: BakeryEnvelope.self) { envelope, _ in envelope.error }
}

class BakeryNetworker<EndpointItem: Endpoint>: ChannelNetworker<EndpointItem> { init() { super.init(.bakery) } }
