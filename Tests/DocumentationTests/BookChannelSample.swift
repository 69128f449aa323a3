// The samples of the README's "One call" and "Add a channel", line by line; ReadmeTests compares them.

import CoreAPI

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

@MainActor protocol BasketOutput: AnyObject { func handleBasket(_ result: Result<Basket, APIClientError>) }

@MainActor protocol BasketInteractorInterface { func add(product: Int) }

final class BasketInteractor: BKNetworker<BasketEndpoint>, BasketInteractorInterface {
    weak var output: (any BasketOutput)?

    // The form with a completion: called at most once, on the main actor; the call does not keep the interactor alive.
    func add(product: Int) { request(.add(product: product, quantity: 1)) { $0.output?.handleBasket($1) } }

    // The form to await.
    func adding(product: Int) async throws(APIClientError) -> Basket {
        try await networkManager.request(endpoint: .add(product: product, quantity: 1))
    }
}

struct BKError: Error, Decodable {
    let message: String
}

extension Channel {
    static let bk = Channel(
        "BK", "books",
        hosts: [.production: "https://api.books.example/v1", .staging: "https://staging.books.example/v1"]
    )
    .credential(.header("x-api-key", .environment("BK_API_KEY")))
    .with { channel in
        channel.modifiers = [Header("X-Client", "app"), Timeout(total: .seconds(20))]
        channel.interceptors.append(RetryPolicy())
        channel.errorFilter = .rejection(BKError.self)
    }
}

class BKNetworker<EndpointItem: Endpoint>: ChannelNetworker<EndpointItem> { init() { super.init(.bk) } }
