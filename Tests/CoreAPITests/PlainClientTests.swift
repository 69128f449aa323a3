import TestSupport

@Suite("Plain client", .closing, .timeLimit(.minutes(1)))
struct PlainClientTests {
    private func environment(_ url: String) -> APIEnvironment {
        APIEnvironment(TestHost(baseURL: url), allowsInsecureConnections: true)
    }

    @Test("a request value is performed and parsed in one call, each in its own environment, over one transport")
    func performed() async throws {
        let first = try LoopbackServer.test { _ in .json(#"{"id":1}"#) }
        let second = try LoopbackServer.test { _ in .json(#"[2,3]"#) }
        let client = APIClient()
        #expect(try await client.perform(APIRequest<Item>(TestEndpoint(), environment: environment(first.url))) == Item(id: 1))
        #expect(
            try await client.perform(APIRequest(TestEndpoint(), environment: environment(second.url), as: [Int].self)) == [2, 3])
        let text = APIRequest(TestEndpoint("x"), environment: environment(first.url), decoding: .text)
        #expect(try await client.perform(text) == #"{"id":1}"#)
        #expect(first.connectionsAccepted == 1, "the second call reused the first one's connection")
        await client.close()
    }

    @Test("malformed URL, parameters, response and JSON have different errors, and so has valid JSON of another shape")
    func toldApart() async throws {
        let server = try LoopbackServer.test { request in
            switch request.path {
            case "/garbage": .garbage(Data("SMTP ready\r\n\r\n".utf8))
            case "/broken": .json(#"{"id":"#)
            default: .json(#"{"id":"text"}"#)
            }
        }
        let client = APIClient()
        let environment = environment(server.url)
        let error = { (endpoint: TestEndpoint) in
            await client.response(to: APIRequest<Item>(endpoint, environment: environment)).error
        }
        #expect(await error(TestEndpoint(baseURL: "https://exa mple")).map(\.label) == "request.malformedURL")
        let broken = TestEndpoint("a", .post, params: ["x": Double.nan], encoding: .body)
        #expect(await error(broken)?.label == "request.encodingFailed")
        #expect(await error(TestEndpoint("garbage"))?.label == "transport.malformedResponse")
        #expect(await error(TestEndpoint("broken"))?.decoding?.isMalformed == true)
        let other = try #require(await error(TestEndpoint("other"))?.decoding)
        #expect(!other.isMalformed && other.codingPath == "id")
        await client.close()
    }

    @Test(
        "hooks are set up once for a completion, and a malformed URL ends the call as any error does",
        arguments: [("http://h.example", nil), ("http://exa mple", "request.malformedURL")])
    func completed(url: String, cause: String?) async {
        let (made, ended) = (Shared(0), Shared(0))
        let client = APIClient(transport: RecordingTransport(body: #"{"id":1}"#)) { channel in
            _ = made.next()
            channel.errorFilter = ErrorFilter.none.localized([:], default: "Olmadı")
            channel.resultHandler = ResultHandler { _ in _ = ended.next() }
        }
        let request = APIRequest<Item>(TestEndpoint(), environment: environment(url))
        let result = await completion { client.perform(request, completion: $0) }
        #expect(made.current == 1 && ended.current == 1)
        switch result {
        case .success(let item): #expect(item.id == 1 && cause == nil)
        case .failure(let error): #expect(error.localizedDescription == "Olmadı" && error.context.cause?.label == cause)
        }
    }

    @Test("a valid value of another type at the root is not malformed JSON")
    func soundRoot() async {
        enum Colour: String, Decodable, Sendable { case red }
        let client = APIClient(transport: RecordingTransport(body: #""blue""#))
        let request = APIRequest<Colour>(TestEndpoint(), environment: environment("http://h.example"))
        #expect(await client.response(to: request).error?.decoding?.isMalformed == false)
    }
}
