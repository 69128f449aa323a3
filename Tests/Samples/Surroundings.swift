// What samples take for granted: an app's own types, functions and values. SamplesTests compiles a doc comment's sample as a
// method of `Interactor`, and a page's statements as a method of the class with the page's name, if there is one here.

import CoreAPI
import CoreAPIReactive
import CoreAPITesting
import CoreAPITransfers
import CoreAPIURLSession
import CoreAPIWebSocket
import CoreAPIXML
import DLInteractors
import DLNetworker
import Foundation
import HTTPTypes
import Logging
import Observation
import OpenCombineShim
import Synchronization
import Testing

// OpenCombine has one, too.
typealias Cancellable = CoreAPI.Cancellable

struct Order: Codable, Sendable { let id: String }
struct OrderList: Decodable, Sendable { let orders: [Order] }
struct NewOrder: Codable, Sendable { let items: [String] }
struct OrderEvent: Decodable, Sendable { let status: String }
struct Note: Codable, Sendable { let text: String }
struct Token: Decodable, Sendable { let accessToken: String }
struct ShopEnvelope: Decodable { let error: ShopError? }
struct SoldOut: Error {}
typealias Item = Order
typealias Photo = Order
typealias Line = Note

struct OrderEndpoint: Endpoint {
    static let orders = OrderEndpoint(), list = orders, search = orders
    static func list(page: Int) -> OrderEndpoint { orders }
    static func orderList(page: Int = 1) -> OrderEndpoint { orders }
    static func orderList(path: String) -> OrderEndpoint { orders }
    static func orderDetail(id: String) -> OrderEndpoint { orders }
    static func chat(orderID: String) -> OrderEndpoint { orders }
    static func refresh(_ token: String) -> OrderEndpoint { orders }

    var path: String { "orders" }
    var method: HTTPRequest.Method { .get }
}
typealias TokenEndpoint = OrderEndpoint

enum OrderEndpoints: EndpointProvider {
    static let place: POST<NewOrder, Order> = create("orders")
}

struct ShopAuth: RequestInterceptor {}
struct ShopLogger: NetworkLogger {
    func log(_ event: CallEvent) {}
}

struct Hash {
    func update(_ chunk: Data) {}
}

struct Bar {
    func show(_ fraction: Double?) {}
}

struct Store: Sendable {
    var state: ResumableUpload.State? {
        get { nil }
        nonmutating set {}
    }
}

func show(_ value: some Any) {}
func show(_ value: some Any, took: Duration?) {}
func show(online: Bool, backIn: Duration? = nil) {}
func count(_ label: String) {}
func log(_ text: String) {}
func use(_ text: String) {}
func sign(_ request: Request) -> String { "" }
func sign(_ head: String, _ body: Data) -> String { "" }
func signature(of request: Request) throws -> String { "" }
func upload(_ item: Item) -> Upload<Item> { manager.upload(.post("items"), from: .bytes(Data()), as: .decodable(Item.self)) }
func events(orderID: String) -> EventStream<OrderEvent> { manager.events(.get("events"), as: OrderEvent.self) }

let manager = NetworkManager<OrderEndpoint>(channel: .dl)
let dispatcher = CommonDispatcher(channel: .dl)
let (id, text, password, secret, refreshToken) = ("", "", "", "", "")
let (authorities, certificates, key) = ("", "", "")
let (page, items, sort, stored) = (1, [""], nil as String?, nil as String?)
let (note, item, hash, bar, store, timer) = (Note(text: ""), Item(id: ""), Hash(), Bar(), Store(), Cancellable([]))
let file = URL(fileURLWithPath: "")
let (film, photo, invoice) = (file, file, file)
var attempt: Attempt { fatalError("only compiled") }
var channel: Channel {
    get { .dl }
    set {}
}
var environment: APIEnvironment {
    get { channel.environment }
    set {}
}
@MainActor var orders: OrderList?
@MainActor var retry: Task<Void, Never>?

@MainActor protocol Output: AnyObject {
    func handleOrderListResponse(_ result: Result<DLOrderListResponse, APIClientError>)
    func handleOrderDetailResponse(_ result: Result<Order, APIClientError>)
    func handleOrderEvent(_ event: OrderEvent)
    func handleOrderEventsEnd(_ error: APIClientError?)
    func handleItemOfferProgress(_ progress: TransferProgress)
    func handleItemOfferResponse(_ result: Result<Item, APIClientError>)
    func handleLine(_ line: Line)
    func handleUnsentLine(_ error: APIClientError)
    func handleChatEnd(_ error: APIClientError?)
}

@MainActor final class Interactor: ChannelNetworker<OrderEndpoint> {
    weak var output: (any Output)?
    var following: Cancellable?
    var chat: Cancellable?
    var socket: WebSocket!

    enum ShopHost: String, EnvironmentType {
        case simulated, staging, production
        var baseURL: String { "https://\(rawValue).shop.example" }
    }
}

// MARK: - Pages

struct BakeryEnvelope: Decodable { let error: BakeryError? }
struct BakeryError: Error, Decodable { let code: String }
struct Book: Decodable, Sendable { let title: String }
struct ChatAnswer: Decodable, Sendable {
    struct Choice: Decodable, Sendable { let message: ChatMessage }
    let choices: [Choice]
}
struct EmptyResponse: Decodable {}
struct ExampleObject: Codable, Equatable { let id, text: String? }
struct Export: Decodable, Sendable { let id: Int }
struct GalleryError: Error, Decodable { let reason: String }
struct KioskOrderListResponse: Decodable { let orders: [Int] }
struct OrderPage: Decodable, Sendable {
    let orders: [Int]
    let next: String?
}
struct Parcel: Codable, Sendable { let id: Int }
struct Product: Decodable, Equatable, Sendable { let id: Int }
struct Recipe: Decodable, Equatable, Sendable {
    let title: String
    let minutes: Int
}
struct TokenPair: Codable, Sendable { let accessToken, refreshToken: String }
struct WeatherQuery: Decodable, Equatable, Sendable { let city: String }
typealias OrderStatus = OrderEvent

enum ShopEndpoint: Endpoint {
    case product(Int)
    var path: String {
        switch self {
        case .product(let id): "products/\(id)"
        }
    }
    var method: HTTPRequest.Method { .get }
}

enum Giphy {
    enum Hosts: String, EnvironmentType {
        case production
        var baseURL: String { "https://api.giphy.example" }
    }
    enum API: Endpoint {
        case trending
        var path: String { "/v1/gifs/trending" }
        var method: HTTPMethod { .get }
    }
    enum Responses {
        struct Page: Decodable { let data: [GIF] }
        struct GIF: Decodable { let id: String }
    }
}

protocol KioskOrderListInteractorOutput: AnyObject {
    func handleOrderListResponse(_ result: Result<KioskOrderListResponse, APIClientError>)
    func handleCancelResponse(_ result: Result<EmptyResponse, APIClientError>)
}

func write(_ line: String) {}

let signedOut = Mutex(false)
let transport = FixtureTransport([Fixture(.get, "breads", status: 503)])

final class README { let manager = BasketInteractor().networkManager }
final class Authentication { let stored = "" }
final class Bodies {
    var (orders, photos, last) = ([Export](), [String: Data](), nil as String?)
}

final class Cookies { let jar = CookieJar() }
final class Errors { let manager = NetworkManager<ShopEndpoint>(channel: .shop(.production)) }
final class LoggingMetricsTracing { let logger = Logger(label: "shop") }
final class MutualTLS { let folder = IdentityFolder(path: "") }
final class Recipes { var found: [Int] = [] }
final class Trust { let (certificate, backupPin) = ((pin: "", der: Data()), "") }
