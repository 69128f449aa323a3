// The samples of the public doc comments; DocCommentTests compares them. They are compiled and not run: most need a server.

import CoreAPI
import CoreAPICore
import CoreAPIHTTP
import CoreAPITesting
import CoreAPITransfers
import CoreAPIURLSession
import CoreAPIWebSocket
import CoreAPIXML
import DLInteractors
import DLNetworker
import Foundation
import HTTPTypes
import Testing

private struct Order: Codable, Sendable {
    let id: String
}

private struct OrderList: Decodable, Sendable {
    let orders: [Order]
}

private struct NewOrder: Codable, Sendable {
    let items: [String]
}

private struct Note: Codable, Sendable {
    let text: String
}

private enum OrderEndpoint: Endpoint {
    case orders
    case orderList(path: String)
    case chat(orderID: String)
    case refresh(String)
    case search

    static func list(page: Int) -> OrderEndpoint { .orderList(path: "page=\(page)") }
    static let list = OrderEndpoint.orders

    var path: String { "orders" }
    var method: HTTPRequest.Method { .get }
}

private struct OrderEvent: Decodable, Sendable {
    let status: String
}

/// Stands for an app's own functions.
private func show(_ value: some Any) {}
private func show(_ value: some Any, took: Duration?) {}
private func show(online: Bool, backIn: Duration? = nil) {}
private func count(_ label: String) {}
private func log(_ text: String) {}
private func use(_ text: String) {}
private func sign(_ request: Request) -> String { "" }
private func sign(_ head: String, _ body: Data) -> String { "" }
private func signature(of request: Request) throws -> String { "" }

// MARK: - Base, coding, cookies

private func secret() {
    let passphrase = Secret("open sesame")
    print(passphrase)  // <redacted>
    use(passphrase.revealed)
}

private func json(_ manager: NetworkManager<OrderEndpoint>) async throws -> Decimal? {
    let answer = try await manager.request(endpoint: .search, as: .json)
    let total = answer["data"]?["items"]?[0]?["price"]?.decimal
    return total
}

private func parameters(text: String, page: Int, sort: String?, items: [String]) -> [Parameters] {
    let query: Parameters = ["q": text, "page": page, "sort": sort]  // a nil value is left out
    let list: Parameters = [3, 5, 8]  // a JSON array
    let order = Parameters(NewOrder(items: items))
    return [query, list, order]
}

private func signature(_ channel: inout Channel, secret: String) {
    channel.attemptMiddleware = [
        RequestSigning { request in
            let digest = ContentDigest(.sha256, of: try request.body.bytesInMemory()).hexadecimal
            let code = RequestSigning.hmacSHA256("\(request.method)\n\(request.url.target)\n\(digest)", key: secret)
            try request.setHeader("X-Signature", code.base64EncodedString())
        }
    ]
}

private func settings(_ channel: inout Channel, password: String) throws {
    channel.query = .alamofire
    channel.cookies = CookieJar()
    channel.attemptMiddleware = [try DigestAuthentication(username: "ayşe", password: Secret(password))]
    channel.transport = URLSessionTransport()
    channel.logger = CoreNetworkLogger(subsystem: "com.shop.app", category: "shop")
    channel.logger = CoreNetworkLogger(options: .all) { line in print(line) }
    channel.modifiers.append(RequestLogging.all)
}

// MARK: - A call

private struct Signed: Middleware {
    func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
        do {
            return await next(try signed(attempt))
        } catch {
            return attempt.failed(error, stage: APIClientError.adapting)
        }
    }

    private func signed(_ attempt: Attempt) throws -> Attempt {
        let signed = try attempt.with { try $0.setHeader("X-Signature", sign($0)) }
        return signed
    }
}

private struct Hash {
    func update(_ chunk: Data) {}
}

private struct File {
    func write(_ chunk: Data) {}
}

private func read(_ manager: some Dispatcher, into hash: Hash) async throws {
    let body = try await manager.stream(.get("export")).value
    for try await chunk in body { hash.update(chunk) }
}

private func read(_ manager: some Dispatcher, id: String, into file: File) async throws {
    let response = await manager.stream(.get("exports/\(segment: id)"))
    for try await chunk in try response.value { file.write(chunk) }
}

private func budget(_ attempt: Attempt) -> Int {
    enum Budget: Call.Key { static let defaultValue = 3 }
    let left = attempt.call.update(Budget.self) { budget in
        budget -= 1
        return budget
    }
    return left
}

private func wire(_ attempt: Attempt) throws -> Data {
    let stored = try JSONEncoder().encode(attempt.request.wire)
    return stored
}

// MARK: - Channels

private func place(_ channel: inout Channel) {
    let place = APIEnvironment.Switch(Channel.dl.environment)
    channel.environmentSwitch = place
    // later, from anywhere
    place.environment = Channel.dl.at(.staging).environment
    place.update { $0.commonHeaders["X-Experiment"] = "basket-2" }
}

private struct Staged: RequestEnhancer {
    var stages: Set<Stage.Kind> { [.enhance] }
    func enhance(_ request: inout Request) {}
}

private func stages(_ channel: Channel) {
    print(channel.stages.map(\.description).joined(separator: "\n"))
}

private struct ShopEnvelope: Decodable {
    let error: ShopError?
}

private func channel() -> Channel {
    let shop = Channel("Shop", hosts: [.production: "https://api.shop.example", .sandbox: .local("shop")])
        .credential(.header("x-api-key", .environment("SHOP_API_KEY", sandbox: "sandbox-key")))
        .payload("result", error: ShopEnvelope.self) { envelope, _ in envelope.error }
    return shop
}

private enum Hosts: String, EnvironmentType {
    case simulated, staging, production

    var baseURL: String { "https://\(rawValue).shop.example" }

    var environment: APIEnvironment {
        switch self {
        case .simulated: APIEnvironment(self, fixturesType: .directory("Fixtures", scenario: "orders"))
        case .staging, .production: APIEnvironment(self)
        }
    }
}

private func differences() -> [Channel.Difference] {
    let differences =
        Channel.dl.differences(from: .dl.at(.staging))
    // environment: production ≠ staging, environment.baseURL: https://api… ≠ https://stage…
    return differences
}

// MARK: - Clients

private func once() async throws -> [Order] {
    typealias ShopHost = Hosts
    let request = APIRequest(OrderEndpoint.list(page: 1), environment: APIEnvironment(ShopHost.staging), as: [Order].self)
    let orders = try await APIClient().perform(request)
    return orders
}

@MainActor private func both(_ manager: NetworkManager<OrderEndpoint>, _ timer: Cancellable) -> Cancellable {
    let show: Completion<[Order]> = { _ in }
    let both = Cancellable([manager.request(endpoint: .orders, type: [Order].self, completion: show), timer])
    return both
}

private func page() async throws -> OrderList {
    let manager = NetworkManager<OrderEndpoint>(channel: .dl)
    let page: OrderList = try await manager.request(endpoint: .list(page: 1))
    return page
}

private enum Networkers {
    open class DLNetworker<EndpointItem: Endpoint>: ChannelNetworker<EndpointItem> { public init() { super.init(.dl) } }
}

@MainActor private protocol Output: AnyObject {
    func handleOrderListResponse(_ result: Result<DLOrderListResponse, APIClientError>)
    func handleOrderDetailResponse(_ result: Result<DLOrderDetailResponse, APIClientError>)
    func handleOrderEvent(_ event: OrderEvent)
    func handleOrderEventsEnd(_ error: APIClientError?)
    func handleItemOfferProgress(_ progress: TransferProgress)
    func handleItemOfferResponse(_ result: Result<Order, APIClientError>)
    func handleLine(_ line: Order)
    func handleUnsentLine(_ error: APIClientError)
    func handleChatEnd(_ error: APIClientError?)
}

@MainActor private final class ListInteractor: DLNetworker<DLOrderEndpointItem> {
    weak var output: (any Output)?

    func fetchOrderList(page: Int) {
        networkManager.request(endpoint: .orderList(page: page), type: DLOrderListResponse.self) { [weak self] result in
            self?.output?.handleOrderListResponse(result)
        }
    }
}

@MainActor private final class DetailInteractor: DLNetworker<DLOrderDetailEndpointItem> {
    weak var output: (any Output)?
    var following: Cancellable?

    func fetchOrderDetail(id: String) {
        request(.orderDetail(id: id)) { $0.output?.handleOrderDetailResponse($1) }
    }

    private func events(orderID: String) -> EventStream<OrderEvent> {
        networkManager.events(.get("orders/\(segment: orderID)/events"), as: OrderEvent.self)
    }

    func followOrder(id: String) {
        following = follow(events(orderID: id)) {
            $0.output?.handleOrderEvent($1.data)
        } end: {
            $0.output?.handleOrderEventsEnd($1)
        }
    }

    private func upload(_ item: Order) -> Upload<Order> {
        networkManager.upload(.post("items"), from: .bytes(Data()), as: Order.self)
    }

    func offer(_ item: Order) {
        follow(upload(item), progress: { $0.output?.handleItemOfferProgress($1) }) { $0.output?.handleItemOfferResponse($1) }
    }
}

@MainActor private final class ChatInteractor: DLNetworker<OrderEndpoint> {
    typealias Line = Order

    weak var output: (any Output)?
    var chat: Cancellable?
    var socket: WebSocket?

    func open(id: String) {
        chat = webSocket(.chat(orderID: id), of: Line.self) {
            $0.socket = $1
        } message: {
            $0.output?.handleLine($1)
        } end: {
            $0.output?.handleChatEnd($1)
        }
    }

    func say(_ text: String, over socket: WebSocket) {
        typealias Line = Note
        send(Line(text: text), over: socket) { $0.output?.handleUnsentLine($1) }
    }
}

private func retry(_ networkManager: NetworkManager<OrderEndpoint>) async {
    var response = await networkManager.response(for: .orderList(path: ""), as: OrderList.self)
    while response.error != nil, let next = try? await response.retry(max: 3, delay: .seconds(1)) { response = next }
}

@MainActor private func retryLater(_ networkManager: NetworkManager<OrderEndpoint>) {
    var retry: Task<Void, Never>?
    networkManager.response(for: .orderList(path: ""), as: OrderList.self) { response in
        retry = Task {
            var response = response
            while let error = response.error, !error.isCancelled,
                let next = try? await response.retry(max: 3, delay: .seconds(1))
            { response = next }
            show(response)
        }
    }
    retry?.cancel()
}

@MainActor private final class Orders {
    let networkManager = NetworkManager<OrderEndpoint>(channel: .dl)

    func orders(completion: @escaping Completion<[Order]>) {
        networkManager.request(endpoint: .orders, type: [Order].self, completion: completion)
    }
}

// MARK: - Requests

private func adHoc(_ manager: some Dispatcher, id: String) async throws -> Order {
    let order = try await manager.request(.get("orders/\(segment: id)"), as: Order.self)
    try await manager.request(.post("orders/\(segment: id)/notes", body: Note(text: "ring twice")))
    return order
}

private func answered(_ networkManager: NetworkManager<OrderEndpoint>) async throws -> Order {
    struct OrderByID: Endpoint {
        typealias Output = Order
        let id: String
        var path: String { "orders/\(segment: id)" }
        var method: HTTPRequest.Method { .get }
    }

    let order = try await networkManager.request(OrderByID(id: "7"))
    return order
}

private enum Endpoints {
    enum OrderEndpoint: Endpoint {
        case list(page: Int)
        var path: String { "orders" }
        var method: HTTPRequest.Method { .get }
        var params: Parameters? {
            switch self {
            case .list(let page): ["page": page]
            }
        }
    }
}

private func provider(_ networkManager: CommonDispatcher, items: [String]) async throws -> [Order] {
    struct OrderEndpoints: EndpointProvider {
        static var implicitModifiers: [any RequestModifier] { [Header("X-Feature", "orders")] }

        static let all: GET<Void, [Order]> = create("orders")
        static let place: POST<NewOrder, Order> = create("orders")
        static func order(_ id: String) -> GET<Void, Order> { create("orders/\(segment: id)") }
    }

    let orders = try await networkManager.request(OrderEndpoints.all)
    let order = try await networkManager.request(OrderEndpoints.place, NewOrder(items: items))
    func placed() async throws -> Order {
        let order = try await networkManager.request(OrderEndpoints.place(NewOrder(items: items)))
        return order
    }
    return try await orders + [order, placed()]
}

private func encoding(_ invoice: URL) -> InputEncoding {
    let pdf = InputEncoding("an invoice") { _, request in
        request.body = .file(invoice)
        request.headers[.contentType] = "application/pdf"
    }
    return pdf
}

private enum Modifiers {
    struct Tenant: HeaderModifier {
        let name = "X-Tenant"
        let value: String
    }

    var modifiers: [any RequestModifier] { [Header("X-Experiment", "basket-2")] }
}

private func attached(_ networkManager: NetworkManager<DLOrderEndpointItem>) async throws -> [DLOrderListResponse] {
    [
        try await networkManager.attaching(Timeout(.seconds(5))).request(endpoint: .orderList(page: 1)),
        try await networkManager.attaching(Fixture(status: 503)).request(endpoint: .orderList()),
        try await networkManager.attaching(Fixture.Scenario("orders-error")).request(endpoint: .orderList()),
    ]
}

// MARK: - Errors

private func caught(_ networkManager: NetworkManager<DLOrderEndpointItem>) async {
    var orders: DLOrderListResponse?
    do {
        orders = try await networkManager.request(endpoint: .orderList(page: 1))
    } catch {
        if let rejection: DLError = error.app() { show(rejection.message) } else { show(error.localizedDescription) }
        log("\(error)")
    }
    show(orders)
}

extension ShopError: APIClientError.Labelled {
    var label: String { code }  // app.sold-out
}

private struct SoldOut: Error {}

struct ShopErrors: ErrorFiltering {
    func filter(_ response: inout Response<Data>) throws {
        if response.head?.status == .conflict { throw SoldOut() }
        if response.head?.status == .notFound { response.result = .success(Data("[]".utf8)) }
    }
    func translate(_ error: APIClientError) -> (any Error)? { nil }
}

private func errors(_ channel: inout Channel) {
    channel.errorFilter = ErrorFilter.envelope(ShopEnvelope.self) { envelope, _ in envelope.error }
        .localized(["transport": "Bağlantı kurulamadı."], default: "Bir şeyler ters gitti.")
}

// MARK: - Hooks

struct Signing: Middleware {
    func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
        do {
            return await next(try attempt.with { try $0.setHeader("X-Signature", signature(of: $0)) })
        } catch {
            return attempt.failed(error, stage: APIClientError.adapting)
        }
    }
}

private func verifiers(_ channel: inout Channel) {
    let found = StatusCodeResponseVerifier(200, 404)
    let accepted = StatusCodeResponseVerifier(200..<300, mayBeEmpty: [202, 204, 205])
    channel.modifiers += [found, accepted] as [any RequestModifier]
}

private func listeners(_ channel: inout Channel) {
    struct Counting: Listener {
        func notify(_ event: CallEvent) {
            if case .finished(let response) = event { count(response.error?.label ?? "success") }
        }
    }
    channel.listeners = [Counting()]
    channel.logger = FunctionLogger { event in
        if case .finished(let response) = event { count(response.error?.label ?? "success") }
    }
}

private struct Token: Decodable, Sendable {
    let accessToken: String
}

private func bearer(_ channel: inout Channel, stored: String?, refreshToken: String) {
    typealias TokenEndpoint = OrderEndpoint
    channel.attemptMiddleware = [
        BearerAuthentication(token: stored) { response in
            try await NetworkManager<TokenEndpoint>(channel: response.call.channel)
                .request(endpoint: .refresh(refreshToken), type: Token.self).accessToken
        }
    ]
}

private func form(_ manager: some Dispatcher) async throws -> Order {
    typealias Item = Order
    let form = MultipartForm([
        .text("title", "Bez çanta"),
        .file("photo", URL(fileURLWithPath: "bag.jpg"), contentType: "image/jpeg"),
    ])
    let item = try await manager.request(.post("items", encoding: .multipart(form)), as: Item.self)
    return item
}

private func handler() -> StatusCodeErrorHandler {
    let handler =
        StatusCodeErrorHandler(409, 423) { response in .retryAfter(.seconds(1)) }
    return handler
}

// MARK: - Transports and trust

private func transport(_ environment: APIEnvironment) async {
    let transport = CurlTransport()
    let channel = Channel(name: "Shop", environment: environment, transport: transport)
    await channel.close()
}

private func loops() async {
    let loops = LoopGroup(loops: 2)
    let transport = CurlTransport(loops: loops)
    // the requests of channels with this transport
    await transport.close()
    await loops.shutdown()
}

private func fixtures() -> [Fixture] {
    let fixtures = [
        Fixture(
            .get, "events", headers: ["Content-Type": "text/event-stream"],
            stream: [
                .text("data: 1\n\n"), .pause(.milliseconds(50)), .text("data: 2\n\n"),
            ])
    ]
    return fixtures
}

private func fixtureTransport() -> FixtureTransport {
    let transport = FixtureTransport([
        Fixture(.get, "orders?page=1", body: #"{"orders": []}"#),
        Fixture(.get, "orders/DL-9", failure: .timedOut(.total, after: .seconds(60))),
    ])
    return transport
}

private func challenge() throws -> [String] {
    let schemes =
        try AuthenticationChallenge.parse(#"Basic realm="a", Digest realm="a", nonce="x", qop="auth""#).map(\.scheme)
    // basic, digest
    return schemes
}

private func address() throws {
    var url = try HTTPURL("https://api.example.com/v1")
    try url.append(path: "orders?page=1")
    url.appendQuery("q", "kırmızı çanta")
    print(url)  // https://api.example.com/v1/orders?page=1&q=k%C4%B1rm%C4%B1z%C4%B1%20%C3%A7anta
}

private func pins() throws -> PinSet {
    let certificates = try Certificate.all(inPEM: String(contentsOfFile: "chain.pem", encoding: .utf8))
    let pins = PinSet(["api.example.com": certificates.map(\.pin)])
    return pins
}

private func expiring() -> PinSet {
    var pins = PinSet(["api.example.com": ["sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "sha256/BBBB…"]])
    pins.expiry = Date(timeIntervalSince1970: 1_830_000_000)
    return pins
}

private func pinned(_ environment: inout APIEnvironment) throws {
    enum ShopCertificate: PinnedCertificate, CaseIterable {
        case api, images

        var evaluatorKey: String { self == .api ? "api.shop.example" : "*.images.shop.example" }
        var files: [Certificate.File] { [Certificate.File(name: "shop", type: "der")] }
    }

    environment.serverTrustManager = try ShopCertificate.serverTrustManager
    let (authorities, certificates, key) = ("", "", "")
    environment.serverTrustManager = ServerTrustManager(
        authorities: .pem(authorities), identity: .pem(certificates: certificates, key: Secret(key)))
}

private struct ShopLogger: NetworkLogger {
    func log(_ event: CallEvent) {}
}

private struct ShopAuth: RequestInterceptor {}

private func anonymous() -> [NetworkManager<OrderEndpoint>] {
    typealias ShopHost = Hosts
    func first() -> NetworkManager<OrderEndpoint> {
        let manager = NetworkManager<OrderEndpoint>(host: ShopHost.production, networkLogger: ShopLogger())
        return manager
    }
    let manager = NetworkManager<OrderEndpoint>(host: "api.example.com", networkLogger: ShopLogger(), interceptor: ShopAuth())
    return [first(), manager]
}

// MARK: - Streams, transfers, sockets

private func attempts(_ dispatcher: some Dispatcher) async {
    for await response in dispatcher.attempts(for: OrderEndpoint.list, as: .decodable(OrderList.self)) {
        show(response.error.map { "attempt \(response.attempts.count): \($0)" } ?? "done")
    }
}

private func streams(_ manager: some Dispatcher, id: String) async throws {
    for try await order in manager.jsonLines(.get("export"), of: Order.self) { show(order) }
    for try await event in manager.events(.get("orders/\(segment: id)/events"), as: OrderEvent.self) {
        show(event.data)
    }
    for try await update in manager.events(.get("news")).updates {
        switch update {
        case .open: show(online: true)
        case .event(let event): show(event.data)
        case .reconnecting(let pause, _): show(online: false, backIn: pause)
        }
    }
    for try await event in manager.events(.get("news")) { print(event.name, event.data) }
    for try await line in try await manager.stream(.get("log")).value.lines { print(line) }
    for try await part in manager.parts(.get("photos")) {
        print(part.fileName ?? "unnamed", try await part.body.collect(upTo: 1 << 20).count)
    }
}

private func download(_ manager: some Dispatcher, id: String, to file: URL) async throws -> DownloadedFile {
    func short() async throws -> DownloadedFile {
        let export = try await manager.download(.get("export.csv"), to: file).value
        return export
    }
    let download = manager.download(.get("exports/\(segment: id)"), to: file)
    for await progress in download.progress { show(progress.fraction) }
    let export = try await download.value
    return export
}

private func compressed(_ note: Note) -> some Endpoint {
    let endpoint = TypedEndpoint.post("notes", body: note, encoding: .json.compressed(with: .gzip))
    return endpoint
}

private final class Store: Sendable {
    private let stored = Mutex<ResumableUpload.State?>(nil)
    var state: ResumableUpload.State? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}

private struct Bar {
    func show(_ fraction: Double?) {}
}

private func resumed(_ manager: some Dispatcher, film: URL, store: Store) async throws {
    let resumable = ResumableUpload(.tus, continuing: store.state) { state in store.state = state }
    let upload = manager.upload(.post("films"), from: .file(film), resumable: resumable)
    try await upload.value
}

private func uploads(_ manager: some Dispatcher, id: String, film: URL, photo: URL, bar: Bar) async throws {
    typealias Photo = Order
    func limited() -> Upload<Void> {
        let options = UploadOptions(bytesPerSecond: 500_000)
        let upload = manager.upload(.put("films/\(segment: id)"), from: .file(film), options: options)
        return upload
    }
    let upload = manager.upload(.post("photos"), from: .file(photo), as: Photo.self)
    for await progress in upload.progress { bar.show(progress.fraction) }
    let saved = try await upload.value
    show(saved)
}

private func socket(_ manager: some Dispatcher, id: String) async throws {
    let socket = try await manager.webSocket(.get("chat/\(segment: id)"))
    try await socket.send(.text("Where are you?"))
    for try await message in socket { show(message) }
    await socket.close()
}

private func positions(_ socket: WebSocket) async throws {
    typealias Position = Order
    for try await position in socket.messages(as: Position.self) { show(position) }
}

// MARK: - Tests

private func authority() throws -> [TestCertificate] {
    let authority = try TestAuthority()
    let expired = try authority.certificate(validity: .expired)
    let below = try authority.intermediate().certificate(for: ["*.shop.test"])
    return [expired, below]
}

private func serving() throws -> LoopbackServer {
    let authority = try TestAuthority()
    let server = try LoopbackServer.start(tls: ServerTLS(authority.certificate(), authority: authority)) { _ in .ok("hello") }
    return server
}

private func swapped() async throws {
    try await withChannel(.dl, transport: .fixtures("orders-empty")) {
        let orders = try await DLOrderListInteractor().orderList(page: 1)
        #expect(orders.orders.isEmpty)
    }
}

private func swappedServer(_ orders: String) async throws {
    let server = try LoopbackServer.start(tls: ServerTLS(), faults: [Fault(.inResponseBody, .reset)]) { _ in .json(orders) }
    try await withChannel(.dl, server: server) {
        let orders = try await DLOrderListInteractor().orderList(page: 1)
        #expect(orders.page == 1)
    }
}

private func faulty() throws -> LoopbackServer {
    let server = try LoopbackServer.start(faults: [Fault(.inResponseBody, .reset)]) { _ in .ok("hello") }
    // the first request sees its connection reset after "he", the second is answered
    return server
}

private func scripted() throws {
    let server = try LoopbackServer.start(script: [.resetBeforeHead, .json(#"{"id":1}"#)])
    defer { server.close() }
    // the call under test goes to server.url and is expected to try twice
    #expect(server.requests.count == 2)
}

private func echoing() throws -> LoopbackServer {
    let server = try LoopbackServer.start { request in
        .webSocket(request) { socket in
            for try await message in socket { try await socket.send(message) }
        }
    }
    return server
}

private func replying() -> ServerReply {
    let reply: ServerReply = [.sendHead(status: 200, headers: ["Content-Length": "4"]), .sendBody(Data("ab".utf8)), .reset]
    return reply
}

private func untrusted() throws -> LoopbackServer {
    let server = try LoopbackServer.start(tls: ServerTLS(.expired)) { _ in .ok("a client must not read this") }
    return server
}

// MARK: - XML

private func xml(_ channel: inout Channel) {
    channel.coder = .xml
    var modifiers: [any RequestModifier] { [BodyCoder.xml(root: "order")] }
    channel.modifiers += modifiers
}

private func idempotencyKeys(_ channel: inout Channel) {
    channel.enhancers = [IdempotencyKey()]
}

private func requestSigning(_ channel: inout Channel) {
    channel.attemptMiddleware = [
        RequestSigning { request in
            let body = try request.body.bytesInMemory()
            try request.setHeader("X-Signature", sign("\(request.method) \(request.url.target)", body))
        }
    ]
}

private func bearerTokens(_ channel: inout Channel) {
    channel.attemptMiddleware = [
        BearerAuthentication(.environment("SHOP_ACCESS_TOKEN"), refreshToken: .environment("SHOP_REFRESH_TOKEN")) {
            refreshToken, response in
            try await CommonDispatcher(channel: response.call.channel)
                .request(.post("token", body: ["refreshToken": refreshToken]), as: Token.self).accessToken
        }
    ]
}
