// What the README shows under "One call" and "Add a channel", line by line; ReadmeTests compares.

import CoreAPI
import HTTPTypes

enum BasketEndpoint: Endpoint {
    case add(product: Int, quantity: Int)

    var path: String { "basket/items" }
    var method: HTTPRequest.Method { .post }
    var params: Parameters? {
        switch self {
        case .add(let product, let quantity): ["productId": product, "quantity": quantity]
        }
    }
}

struct Basket: Decodable, Sendable {
    let items: Int
}

@MainActor protocol BasketOutput: AnyObject {
    func handleBasket(_ result: Result<Basket, APIClientError>)
}

@MainActor protocol BasketInteractorInterface {
    func add(product: Int)
}

final class BasketInteractor: BKNetworker<BasketEndpoint>, BasketInteractorInterface {
    weak var output: (any BasketOutput)?

    // The form with a completion: called exactly once, on the main actor because it was written there.
    func add(product: Int) {
        networkManager.request(endpoint: .add(product: product, quantity: 1), type: Basket.self) { [weak self] result in
            self?.output?.handleBasket(result)
        }
    }

    // The form to await.
    func adding(product: Int) async throws(APIClientError) -> Basket {
        try await networkManager.request(endpoint: .add(product: product, quantity: 1))
    }
}

enum BKHost: String, EnvironmentType {
    case production

    var baseURL: String { "https://api.books.example/v1" }
}

struct BKError: Error, Decodable {
    let reason: String
}

extension Channel {
    static let bk: Channel = {
        var channel = Channel(name: "BK", environment: APIEnvironment(BKHost.production))
        channel.modifiers = [Header("X-Client", "app"), Timeout(total: .seconds(20))]
        channel.interceptors = [RetryPolicy()]
        channel.errorFilter = .refusal(BKError.self)
        channel.logger = CoreNetworkLogger(subsystem: "com.example.books", category: "BK")
        return channel
    }()
}

class BKNetworker<EndpointItem: Endpoint>: Networker {
    var networkManager = NetworkManager<EndpointItem>(channel: .bk)
}
