import TestSupport

@Suite("Signing requests")
struct RequestSigningTests {
    private static let field = HTTPField.Name("X-Signature")!

    /// Signs with what it signs.
    @Sendable private static func sign(_ request: inout Request) throws {
        let body = String(decoding: try request.body.bytesInMemory(), as: UTF8.self)
        try request.setHeader("X-Signature", "\(request.method) \(request.url.target) [\(body)]")
    }

    private static func channel(_ transport: RecordingTransport, _ signing: RequestSigning = RequestSigning(sign)) -> Channel {
        .test("https://h.example/v1", transport: transport) { $0.attemptMiddleware = [signing] }
    }

    @Test(
        "nothing is signed for another server that was not named: not a redirect's request, not an endpoint's",
        arguments: [([], nil), (["https://files.example"], "GET /a []")] as [([String], String?)])
    func elsewhere(origins: [String], redirected: String?) async throws {
        let transport = RecordingTransport { request in
            request.url.path == "/v1/thing"
                ? .answer(to: request, status: 302, headers: [.location: "https://files.example/a"]) : .answer(to: request)
        }
        let channel = Self.channel(transport, RequestSigning(origins: origins, Self.sign))
        for base in ["", "https://h.example:8443", "https://files.example:8443"] {
            #expect(await channel.error(TestEndpoint(baseURL: base)) == nil)
        }
        #expect(transport.requests.map { $0.headers[Self.field] } == ["GET /v1/thing []", redirected, nil, nil])
    }

    @Test("an error is the attempt's failure while it is adapted, and nothing is sent")
    func failure() async {
        let transport = RecordingTransport()
        let error = await Self.channel(transport, RequestSigning { _ in throw Trouble(code: 1) }).error()
        #expect(error?.label == "adapting" && error?.underlyingError is Trouble)
        #expect(transport.requests.isEmpty)
    }

    @Test("a body that is not in memory fails the attempt with its kind, and nothing is sent")
    func notInMemory() async {
        let file = Body.file(URL(fileURLWithPath: "/dev/null"))
        let stream = Body.stream(Body.Stream { { _ in Data() } })
        for (body, kind) in [(file, BodyError.Source.file), (stream, .stream)] {
            let transport = RecordingTransport()
            let error = await Self.channel(transport).error(TestEndpoint("x", .put, encoding: .body(body)))
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
