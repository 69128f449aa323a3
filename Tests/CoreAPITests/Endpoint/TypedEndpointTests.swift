import TestSupport

@Suite("Typed endpoints and EndpointProvider")
struct TypedEndpointTests {
    struct Order: Codable, Equatable, Sendable { var id: Int }

    struct Orders: EndpointProvider {
        static var implicitModifiers: [any RequestModifier] { [Header("X-Feature", "orders"), Header("X-Level", "provider")] }
        static let shared: GET<Void, [Order]> = create("shared")
        static var all: GET<Void, [Order]> { create("orders", modifiers: [Header("X-Level", "endpoint")]) }
        static var place: POST<Order, Order?> { create("orders") }
        static var form: POST<[String: Int], Void> { create("orders", encoding: .form) }
        static var find: GET<[String: [Int]], JSONValue> { create("orders") }
        static var upload: PUT<Data, Data> { create("file") }
        static var search: QUERY<JSONValue, [String: Order]> { create("orders") }
        static func order(_ id: String) -> DELETE<Void, Void> { create("orders/\(segment: id)") }
    }

    private func dispatcher(_ body: String) -> (CommonDispatcher, RecordingTransport) {
        let transport = RecordingTransport(body: body)
        return (Channel.test(transport) { $0.modifiers = [Header("X-Level", "channel")] }.dispatcher, transport)
    }

    @Test("have the input and output of their types")
    func pairs() async throws {
        let (list, listed) = dispatcher(#"[{"id":1}]"#)
        #expect(try await list.request(Orders.all) == [Order(id: 1)])
        #expect(try await list.request(Orders.shared) == [Order(id: 1)])
        #expect(listed.requests.map(\.line) == ["GET /orders", "GET /shared"])
        let (one, sent) = dispatcher(#"{"id":2}"#)
        #expect(try await one.request(Orders.place(Order(id: 2))) == Order(id: 2))
        try await one.request(Orders.form(["a": 1]))
        #expect(try await one.request(Orders.find(["id": [1, 2]]))["id"]?.int == 2)
        #expect(try await one.request(Orders.upload(Data("raw".utf8))) == Data(#"{"id":2}"#.utf8))
        try await one.request(Orders.order("a/b"))
        #expect(
            sent.requests.map(\.line) == [
                #"POST /orders {"id":2}"#, "POST /orders a=1", "GET /orders?id=1&id=2", "PUT /file raw", "DELETE /orders/a%2Fb",
            ])
        #expect(sent.requests[3].headers[.contentType] == "application/octet-stream")
        let (search, searched) = dispatcher(#"{"x":{"id":3}}"#)
        #expect(try await search.request(Orders.search(["q": "ş"]))["x"] == Order(id: 3))
        #expect(searched.requests.map(\.line) == [#"QUERY /orders {"q":"ş"}"#])
    }

    @Test("have their provider's modifiers, which override the channel's and lose to their own")
    func modifiers() async throws {
        let (dispatcher, transport) = dispatcher("[]")
        _ = try await dispatcher.request(Orders.all)
        _ = try await dispatcher.request(Orders.shared)
        let levels = transport.requests.map { $0.headers.filter { $0.name.rawName == "X-Level" }.map(\.value) }
        #expect(levels == [["endpoint"], ["provider"]])
        #expect(transport.requests.allSatisfy { $0.headers.contains { $0.name.rawName == "X-Feature" } })
    }

    @Test("of every method")
    func methods() {
        let methods: [any EndpointMethod.Type] = [
            Methods.CONNECT.self, Methods.DELETE.self, Methods.GET.self, Methods.HEAD.self, Methods.OPTIONS.self,
            Methods.PATCH.self, Methods.POST.self, Methods.PUT.self, Methods.QUERY.self, Methods.TRACE.self,
        ]
        #expect(methods.map { "\($0.method.rawValue)" } == methods.map { "\($0)" })
    }

    @Test("keep the whole response when they fail")
    func failure() async {
        let (dispatcher, _) = dispatcher(#"{"no":1}"#)
        let response = await dispatcher.response(for: Orders.all)
        #expect(response.error?.label == "decoding" && response.data == Data(#"{"no":1}"#.utf8))
        #expect(response.error?.context.endpoint == "Orders.all")
    }

    struct Optionals: EndpointProvider {
        static let find: GET<[String: Int]?, Data?> = create("find")
        static let upload: PUT<Data?, Void> = create("file")
        static let list: POST<[Order], Order?> = create("list")
        static func secret(_ token: String) -> GET<Void, Void> { create("reset/\(segment: token)") }
    }

    @Test("optionals: nil is an empty body, in and out")
    func optionals() async throws {
        let (full, sent) = dispatcher(#"{"id":2}"#)
        #expect(try await full.request(Optionals.find(nil)) == Data(#"{"id":2}"#.utf8))
        _ = try await full.request(Optionals.find(["a": 1]))
        try await full.request(Optionals.upload(nil))
        try await full.request(Optionals.upload(Data("x".utf8)))
        #expect(try await full.request(Optionals.list([Order(id: 1)])) == Order(id: 2))
        #expect(
            sent.requests.map(\.line) == ["GET /find", "GET /find?a=1", "PUT /file", "PUT /file x", #"POST /list [{"id":1}]"#])
        let (empty, _) = dispatcher("")
        #expect(try await empty.request(Optionals.find(nil)) == nil)
    }

    @Test("their names contain no value of their paths")
    func names() async {
        #expect(Orders.all.name == "Orders.all")
        #expect(Optionals.secret("s3cret").name == "Optionals.secret")
        let error = await dispatcher("").0.response(for: Optionals.secret("s3cret/.."), as: .json).error
        #expect(error?.context.endpoint == "Optionals.secret")
    }

    struct OrderByID: Endpoint {
        typealias Output = Order
        let id: Int
        var path: String { "orders/\(id)" }
        var method: HTTPRequest.Method { .get }
    }

    @Test("are endpoints with a response type, with their input or without one, and so are a feature's own types")
    func answered() async throws {
        let transport = RecordingTransport(body: #"{"id":2}"#)
        let manager = NetworkManager<Never>(channel: .test(transport))
            .attaching(Header("X-Call", "1"))
        #expect(try await manager.request(Orders.place(Order(id: 1))) == Order(id: 2))
        #expect(try await manager.request(OrderByID(id: 7)) == Order(id: 2))
        #expect(await manager.response(for: OrderByID(id: 8)).attempts.count == 1)
        try await manager.request(Orders.order("a"))
        let any: any Endpoint = Orders.all
        #expect(any.description == "Orders.all" && any.path == "orders")
        #expect(
            transport.requests.map(\.line) == [
                #"POST /orders {"id":1}"#, "GET /orders/7", "GET /orders/8", "DELETE /orders/a",
            ])
        #expect(transport.requests.allSatisfy { $0.headers.contains { $0.name.rawName == "X-Call" } })
    }

    @Test("are performed by a client without conversion")
    func client() async throws {
        let transport = RecordingTransport(body: #"{"id":2}"#)
        let environment = APIEnvironment("test", baseURL: "https://h.example")
        let client = APIClient(transport: transport)
        #expect(try await client.perform(APIRequest(Orders.place(Order(id: 1)), environment: environment)) == Order(id: 2))
        let order = APIRequest(.get("orders/7"), environment: environment, as: Order.self)
        #expect(try await client.perform(order) == Order(id: 2))
        #expect(transport.requests.map(\.line) == [#"POST /orders {"id":1}"#, "GET /orders/7"])
    }
}
