import TestSupport

@Suite("Signing requests")
struct RequestSigningTests {
    private static let field = HTTPField.Name("X-Signature")!

    /// Signs with what it signs.
    private static let signing = RequestSigning { request in
        let body = String(decoding: try request.body.bytesInMemory(), as: UTF8.self)
        try request.setHeader("X-Signature", "\(request.method) \(request.url.target) [\(body)]")
    }

    private static func channel(_ transport: RecordingTransport, _ signing: RequestSigning = signing) -> Channel {
        Channel.test("https://h.example/v1", transport: transport).with { $0.attemptMiddleware = [signing] }
    }

    private static func signatures(_ transport: RecordingTransport) -> [String?] { transport.requests.map { $0.headers[field] } }

    @Test("nothing is signed for another server: not a redirect's request, not an endpoint's")
    func elsewhere() async throws {
        let transport = RecordingTransport { request in
            request.url.path == "/v1/thing"
                ? .answer(to: request, status: 302, headers: [.location: "https://other.example/"]) : .answer(to: request)
        }
        let manager = Self.channel(transport).manager
        try await manager.request(endpoint: TestEndpoint())
        try await manager.request(endpoint: TestEndpoint(baseURL: "https://h.example:8443"))
        #expect(Self.signatures(transport) == ["GET /v1/thing []", nil, nil])
    }

    @Test("a further origin is signed if it was named")
    func origins() async throws {
        let transport = RecordingTransport { request in
            request.url.path == "/v1/thing"
                ? .answer(to: request, status: 302, headers: [.location: "https://files.example/a"]) : .answer(to: request)
        }
        let signing = RequestSigning(origins: ["https://files.example"]) { try $0.setHeader("X-Signature", $0.url.target) }
        let manager = Self.channel(transport, signing).manager
        try await manager.request(endpoint: TestEndpoint())
        try await manager.request(endpoint: TestEndpoint(baseURL: "https://files.example:8443"))
        #expect(Self.signatures(transport) == ["/v1/thing", "/a", nil])
    }

    @Test("an error is the attempt's failure while it is adapted, and nothing is sent")
    func failure() async {
        struct NoKey: Error {}
        let transport = RecordingTransport()
        let error = await Self.channel(transport, RequestSigning { _ in throw NoKey() }).manager
            .response(for: TestEndpoint(), as: .nothing).error
        #expect(error?.label == "adapting" && error?.underlyingError is NoKey)
        #expect(transport.requests.isEmpty)
    }

    @Test("a body that is not in memory fails the attempt with its kind, and nothing is sent")
    func notInMemory() async {
        let file = Body.file(URL(fileURLWithPath: "/dev/null"))
        let stream = Body.stream(Body.Stream { { _ in Data() } })
        for (body, kind) in [(file, BodyError.Source.file), (stream, .stream)] {
            let transport = RecordingTransport()
            let error = await Self.channel(transport).manager
                .response(for: TestEndpoint("x", .put, encoding: .body(body)), as: .nothing).error
            #expect(error?.label == "adapting" && error?.underlyingError as? BodyError == .notInMemory(kind))
            #expect(error?.description.contains("got a \(kind)") == true, "\(String(describing: error))")
            #expect(transport.requests.isEmpty)
        }
    }

    @Test("a body in memory has its bytes, and no body has no bytes")
    func inMemory() throws {
        #expect(try Body.bytes(Data("a".utf8)).bytesInMemory() == Data("a".utf8))
        #expect(try Body.none.bytesInMemory().isEmpty)
    }
}
