// The samples of the pages "Coming from …" that are outside of functions; PagesTests compares them, ComingFromTests runs them.

import CoreAPI
import Foundation
import HTTPTypes

enum BasketRouter: Endpoint {
    case items
    case add(product: Int, quantity: Int)

    var path: String { "basket/items" }
    var method: HTTPRequest.Method {
        switch self {
        case .items: .get
        case .add: .post
        }
    }
    var params: Parameters? {
        switch self {
        case .items: nil
        case .add(let product, let quantity): ["product": product, "quantity": quantity]
        }
    }
}

struct APIKeyInterceptor: RequestInterceptor {
    let key: String

    func adapt(_ request: inout Request) async throws {
        try request.setHeader("X-API-Key", key)
    }

    func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult {
        response.head?.status == .tooManyRequests && response.attempts.count < 2 ? .retryAfter(.milliseconds(1)) : .doNotRetry
    }
}

enum CatalogueTarget: Endpoint {
    case products(page: Int)

    var path: String { "products" }
    var method: HTTPRequest.Method { .get }
    var params: Parameters? {
        switch self {
        case .products(let page): ["page": page]
        }
    }
}

func catalogue(_ environment: APIEnvironment, signOut: @escaping @Sendable () -> Void) -> CommonDispatcher {
    CommonDispatcher(
        environment: environment,
        resultHandler: ResultHandler { response in
            if response.head?.status == .unauthorized { signOut() }
        },
        errorFilter: .rejection(ShopError.self))
}

struct ThingEndpoints: EndpointProvider {
    static var implicitModifiers: [any RequestModifier] { [Header("X-Feature", "things")] }

    static let add: POST<Thing, Thing> = create("things")
    static func thing(_ id: Int) -> GET<Void, Thing> { create("things/\(id)") }
}

struct Thing: Codable, Equatable, Sendable {
    var id: Int
}

/// The server wraps everything in `args`.
struct ArgsTranslation: RequestEnhancer {
    func deenhance(_ response: inout Response<Data>) {
        response = response.map { data in
            let wrapped = try JSONValue(parsing: data)
            return try JSONEncoder().encode(wrapped["args"] ?? .null)
        }
    }
}

enum WeatherHost: String, EnvironmentType {
    case production
    var baseURL: String { "https://weather.example/v1" }
}

struct Forecast: Decodable, Equatable, Sendable {
    let degrees: Double
}

struct ForecastEndpoint: Endpoint {
    let city: String
    var path: String { "forecast/\(segment: city)" }
    var method: HTTPRequest.Method { .get }
}

extension APIRequest where Value == Forecast {
    static func forecast(_ city: String) -> APIRequest {
        APIRequest(ForecastEndpoint(city: city), environment: APIEnvironment(WeatherHost.production))
    }
}
