// Teams' existing code, as the pages "Coming from …" show it with the named changes. PagesTests compares it, SeedSnippetsTests
// runs it.

public import CoreAPI
import Foundation
import HTTPTypes

// MARK: - A channel networker over Alamofire

struct KioskOrderListResponse: Decodable {
    let orders: [Int]
}

struct EmptyResponse: Decodable {}

protocol KioskOrderListInteractorOutput: AnyObject {
    func handleOrderListResponse(_ result: Result<KioskOrderListResponse, APIClientError>)
    func handleCancelResponse(_ result: Result<EmptyResponse, APIClientError>)
}

open class KioskNetworker<T: Endpoint>: Networker {
    public typealias EndpointType = T

    public var networkManager: NetworkManager<T>

    public init() {
        networkManager = NetworkManager(
            host: "api.kiosk.example",
            networkLogger: CoreNetworkLogger(subsystem: "com.kiosk", category: "network"),
            interceptor: KioskAuthRequestInterceptor())
    }
}

struct KioskAuthRequestInterceptor: RequestInterceptor {
    func adapt(_ request: inout Request) async throws {
        try request.setHeader("X-Kiosk", "1")
    }
}

enum KioskOrderEndpointItem: Endpoint {
    case orderList(path: String)
    case cancel(id: Int)

    var path: String {
        switch self {
        case .orderList(let path): return "/order?\(path)"
        case .cancel(let id): return "/order/\(id)/cancel"
        }
    }
    var method: HTTPMethod {
        switch self {
        case .orderList: return .get
        case .cancel: return .post
        }
    }
    var baseURL: String { "https://api.kiosk.example/v2" }
}

@MainActor
class KioskOrderListInteractor: KioskNetworker<KioskOrderEndpointItem> {
    weak var output: (any KioskOrderListInteractorOutput)?

    func fetchOrderList(path: String) {
        networkManager.request(endpoint: .orderList(path: path), type: KioskOrderListResponse.self) { [weak self] result in
            self?.output?.handleOrderListResponse(result)
        }
    }

    func cancel(id: Int) {
        networkManager.request(endpoint: .cancel(id: id), type: EmptyResponse.self) { [weak self] result in
            self?.output?.handleCancelResponse(result)
        }
    }
}

// MARK: - An environment and a dispatcher over Moya

struct GalleryError: Error, Decodable {
    let reason: String
}

enum GalleryEnvironment: String, EnvironmentType {
    case production, staging

    var baseURL: String { "https://\(rawValue).gallery.example" }
}

enum GalleryTarget: Endpoint {
    case pictures
    case avatar(id: Int)

    var baseURL: String {
        switch self {
        case .pictures: ""
        case .avatar: "https://avatars.gallery.example"
        }
    }
    var path: String {
        switch self {
        case .pictures: "pictures"
        case .avatar(let id): "avatars/\(id)"
        }
    }
    var method: HTTPMethod { .get }
    var keyPath: String { "data.items" }
}

final class GalleryErrorFilter: ErrorFiltering {
    func filter(_ response: inout Response<Data>) throws {
        if response.head?.status == .notFound { response.result = .success(Data(#"{"data": {"items": []}}"#.utf8)) }
        if response.head?.status == .conflict { throw try JSONDecoder().decode(GalleryError.self, from: response.data) }
    }

    func translate(_ error: APIClientError) -> (any Error)? { nil }
}

struct GalleryResultHandler: ResultHandling {
    let signOut: @Sendable () -> Void

    func handle(_ response: Response<Void>) async throws {
        if response.head?.status == .unauthorized { signOut() }
    }
}

enum GalleryCertificate: PinnedCertificate, CaseIterable {
    case api, avatars

    var evaluatorKey: String { self == .api ? "*.gallery.example" : "avatars.gallery.example" }
    var files: [Certificate.File] {
        [Certificate.File(path: ProcessInfo.processInfo.environment["GALLERY_PEM"] ?? "gallery.pem")]
    }
    var allHostsMustBeEvaluated: Bool { false }
}

func gallery(_ type: GalleryEnvironment, signOut: @escaping @Sendable () -> Void) -> CommonDispatcher {
    CommonDispatcher(
        environment: APIEnvironment(type, commonHeaders: ["X-Gallery": "1"], specificHeaders: ["session": ["X-Session": "s"]]),
        resultHandler: ResultHandler(GalleryResultHandler(signOut: signOut)),
        errorFilter: ErrorFilter(GalleryErrorFilter()))
}

// MARK: - Fetcher

struct ExampleObject: Codable, Equatable {
    let id: String?
    let text: String?
}

struct ExampleEndpoints: EndpointProvider {
    static var implicitModifiers: [any RequestModifier] { [StatusCodeResponseVerifier(200)] }

    static let all = GET<Void, [ExampleObject]>("examples")

    static func get(id: String, text: String) -> GET<Void, ExampleObject> {
        return create("get?id=\(id)&text=\(text)")
    }

    static func post() -> POST<ExampleObject, Void> {
        return create("post")
    }
}

struct ExampleTranslation: RequestEnhancer {
    static let priority: Priority = .high.more

    func deenhance(_ response: inout Response<Data>) {
        response = response.map { data in try JSONEncoder().encode(JSONValue(parsing: data).object?["args"] ?? .null) }
    }
}

struct AcceptLanguage: HeaderModifier {
    let name = "Accept-Language"
    let value: String

    static let turkish = AcceptLanguage(value: "tr")
}

struct ExampleErrorHandler: ErrorHandler {
    func canResolve(_ error: APIClientError) -> Bool {
        if case .verification(.unacceptableStatus(404, _), _) = error { true } else { false }
    }

    func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult {
        .succeed(ExampleObject(id: nil, text: nil))
    }
}

// MARK: - A client class

enum Giphy {
    enum Hosts: String, EnvironmentType {
        case production

        var baseURL: String { "https://api.giphy.example" }
    }

    enum API: Endpoint {
        case trending
        case search(String)

        var path: String {
            switch self {
            case .trending: "/v1/gifs/trending"
            case .search(let term): "/v1/gifs/search?q=\(term)"
            }
        }
        var method: HTTPMethod { .get }
    }

    enum Responses {
        struct Page: Decodable {
            let data: [GIF]
        }

        struct GIF: Decodable {
            let id: String
        }
    }
}

final class GiphyAPIClient: Sendable {
    private let client: APIClient

    init(transport: (any Transport)? = nil) {
        client = APIClient(transport: transport) { channel in
            channel.environment.commonHeaders["User-Agent"] = "Gifs"
            channel.modifiers = [Header("api_key", "k3y")]
        }
    }

    func fetchTrending(handler: @escaping @MainActor (Giphy.Responses.Page?, (any Error)?) -> Void) {
        let request: APIRequest<Giphy.Responses.Page> = requestForEndpoint(Giphy.API.trending)
        client.perform(request) { @MainActor result in
            switch result {
            case .success(let page): handler(page, nil)
            case .failure(let error): handler(nil, error)
            }
        }
    }

    private func requestForEndpoint<T: Decodable>(_ endpoint: any Endpoint) -> APIRequest<T> {
        APIRequest(endpoint, environment: APIEnvironment(Giphy.Hosts.production))
    }
}
