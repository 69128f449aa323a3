// Does not import HTTPTypes: CoreAPI re-exports methods and statuses.
import TestSupport

@Suite("One-off calls")
struct AdHocEndpointTests {
    private struct Order: Codable, Sendable, Equatable { let id: Int }

    private enum Feature: Endpoint {
        case list

        var path: String { "list" }
        var method: HTTPMethod { .get }
    }

    private let transport = RecordingTransport(body: #"{"id":7,"data":{"id":8}}"#)

    private var manager: NetworkManager<Feature> { NetworkManager(channel: .test("https://h.example/v1", transport: transport)) }

    private var sent: [String] { transport.requests.map(\.line) }

    @Test("need no endpoint type, with any feature's manager and with a dispatcher")
    func read() async throws {
        let id = "a/b"
        #expect(try await manager.request(.get("orders/\(segment: id)"), as: Order.self) == Order(id: 7))
        #expect(try await manager.request(.get("orders", query: ["page": 2, "q": "ş"]), as: Order.self) == Order(id: 7))
        #expect(try await manager.request(endpoint: .list) == Order(id: 7))
        try await NetworkManager<Never>(dispatcher: manager).request(.head("orders"))
        #expect(sent == ["GET /v1/orders/a%2Fb", "GET /v1/orders?page=2&q=%C5%9F", "GET /v1/list", "HEAD /v1/orders"])
    }

    @Test("send values, literals and bytes, and a query besides")
    func write() async throws {
        try await manager.request(.post("orders", body: Order(id: 1)))
        try await manager.request(.put("orders/1", body: ["id": 1], query: ["force": true]))
        try await manager.request(.patch("orders/1", body: ["note": "x", "id": 1] as Parameters))
        try await manager.request(.post("files", body: Data("raw".utf8)))
        try await manager.request(.post("orders", body: ["a": "b c"], encoding: .form))
        try await manager.request(.delete("orders/1"))
        try await manager.request(.delete("orders", query: ["all": true]))
        try await manager.request(.post("orders", body: Order?.none))
        #expect(
            sent == [
                #"POST /v1/orders {"id":1}"#, #"PUT /v1/orders/1?force=true {"id":1}"#,
                #"PATCH /v1/orders/1 {"id":1,"note":"x"}"#, "POST /v1/files raw", "POST /v1/orders a=b+c",
                "DELETE /v1/orders/1", "DELETE /v1/orders?all=true", "POST /v1/orders",
            ])
        #expect(transport.requests[3].headers[.contentType] == "application/octet-stream")
    }

    @Test("carry headers and modifiers, and any method")
    func attach() async throws {
        try await manager.request(.get("x", headers: ["X-A": "1"], modifiers: [Header("X-B", "2"), Timeout(.seconds(9))]))
        try await manager.request(TypedEndpoint(.options, "x"))
        let request = try #require(transport.requests.first)
        #expect(request.headers.filter { $0.name.rawName.hasPrefix("X-") }.map(\.value) == ["2", "1"])
        #expect(request.timeout.total == .seconds(9))
        #expect(sent.last == "OPTIONS /v1/x")
    }

    @Test("have the name of the function that makes them, never a value of their path")
    func names() async {
        #expect(await manager.response(for: TypedEndpoint.get("reset/s3cret", name: "reset"), as: .json).call.endpoint == "reset")
        #expect(TypedEndpoint.get("reset/s3cret").description == "names")
    }
}
