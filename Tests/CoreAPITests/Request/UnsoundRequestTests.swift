import TestSupport

@Suite("A request that cannot be built")
struct UnsoundRequestTests {
    @Test("a value that is one path segment stays one")
    func segment() async throws {
        let transport = RecordingTransport()
        let manager = Channel.test(transport).manager
        try await manager.request(endpoint: TestEndpoint("orders/\(segment: "a/b?c=d&e#f%20ğ")/items"))
        #expect(transport.requests.first?.url.target == "/orders/a%2Fb%3Fc%3Dd%26e%23f%2520%C4%9F/items")
        for value in ["..", ".", ""] {
            let rejected = await manager.response(for: TestEndpoint("orders/\(segment: value)", .delete), as: .nothing)
            #expect(rejected.error?.label == "request.malformedPath")
        }
    }

    @Test(
        "sends no request if it cannot be built, and gives the reason",
        arguments: [
            (TestEndpoint("a\r\nb"), "request.malformedPath"),
            (TestEndpoint("../x"), "request.malformedPath"),
            (TestEndpoint(baseURL: "nonsense"), "request.malformedURL"),
            (TestEndpoint(baseURL: "file:///etc"), "request.unsupportedScheme"),
            (TestEndpoint(baseURL: "https://"), "request.malformedURL"),
            (TestEndpoint(baseURL: "http://h.example"), "request.insecureConnection"),
            (TestEndpoint(headers: ["X-A": "b\r\nX-Evil: 1"]), "request.malformedHeader"),
            (TestEndpoint(headers: ["X-A": "b\nc"]), "request.malformedHeader"),
            (TestEndpoint(headers: ["X-A": "b\0c"]), "request.malformedHeader"),
            (TestEndpoint(headers: ["X A": "b"]), "request.malformedHeader"),
            (TestEndpoint(headers: ["X-A\r\nEvil": "b"]), "request.malformedHeader"),
            (TestEndpoint(modifiers: [Header("", "b")]), "request.malformedHeader"),
        ])
    func unbuildable(endpoint: TestEndpoint, label: String) async {
        let transport = RecordingTransport()
        let channel = Channel.test(transport) { $0.environment.allowsInsecureConnections = false }
        let response = await channel.manager.response(for: endpoint, as: Item.self)
        #expect(response.error?.label == label && response.attempts.isEmpty)
        #expect(transport.requests.isEmpty)
        #expect(response.error?.description.contains("channel test") == true)
        #expect(response.error?.description.contains("\n") == false)
    }

    @Test(
        "sends no request through a channel with problems",
        arguments: ["", "nonsense", "ftp://h.example", "http://h.example", "https://h.example?x=1"])
    func unsound(baseURL: String) async {
        let transport = RecordingTransport()
        let channel = Channel.test(baseURL, transport: transport) { $0.environment.allowsInsecureConnections = false }
        #expect(!channel.problems.isEmpty)
        #expect(await channel.manager.response(for: TestEndpoint(), as: Item.self).error?.label == "channel")
        #expect(transport.requests.isEmpty)
    }

    @Test("an endpoint's name contains no value of it, and describing it never recurses")
    func endpointName() {
        enum Plain: Endpoint { case list, item(id: String); var path: String { "" }; var method: HTTPRequest.Method { .get } }
        enum Raw: String, Endpoint, CustomStringConvertible {
            case list; var path: String { "" }; var method: HTTPRequest.Method { .get }
        }
        enum Bare: Endpoint, CustomStringConvertible {
            case list; var path: String { "" }; var method: HTTPRequest.Method { .get }
        }
        struct Own: Endpoint { var id = "s3cret"; var path: String { "" }; var method: HTTPRequest.Method { .get } }
        #expect(Plain.list.description == "list")
        #expect(Plain.item(id: "s3cret").description == "item")
        #expect("\(Plain.list)" == "list" && "\(Plain.item(id: "s3cret"))".contains("s3cret"), "only a case without values")
        #expect(Raw.list.description == "Raw")
        #expect(Bare.list.description == "Bare")
        #expect(Own().description == "Own")
    }
}
