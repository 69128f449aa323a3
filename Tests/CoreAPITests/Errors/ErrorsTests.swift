import TestSupport

@Suite("Errors")
struct ErrorsTests {
    struct Only: ErrorHandler {
        let label: String
        let replacement: Trouble
        func canResolve(_ error: APIClientError) -> Bool { error.label == label }
        func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult { .fail(replacement) }
    }

    @Test("of several error handlers the first that can resolve an error is called")
    func compositeHandler() async {
        var channel = Channel.test("https://h.example", transport: RecordingTransport(status: 500))
        channel.errorHandler = CompositeErrorHandler([
            Only(label: "decoding", replacement: Trouble(code: 1)),
            Only(label: "verification.unacceptableStatus.500", replacement: Trouble(code: 2)),
            Only(label: "verification.unacceptableStatus.500", replacement: Trouble(code: 3)),
        ])
        #expect(await channel.manager().response(for: TestEndpoint(), as: Item.self).error?.app() == Trouble(code: 2))
        channel.transport = RecordingTransport(status: 404)
        #expect(
            await channel.manager().response(for: TestEndpoint(), as: Item.self).error?.label
                == "verification.unacceptableStatus.404")
    }

    @Test("a decoding error shows the path and the JSON around it, shortened and redacted")
    func decodingError() async throws {
        struct Page: Decodable, Sendable { var orders: [Order] }
        struct Order: Decodable, Sendable { var id: Int; var title: String }
        let filler = String(repeating: "x", count: 5_000)
        let body = #"{"orders":[{"id":1,"title":"a"},{"id":"zwei","title":"b","token":"s3cret","filler":"\#(filler)"}]}"#
        let channel = Channel.test("https://h.example", transport: RecordingTransport(body: body))
        let response = await channel.manager().response(for: TestEndpoint(), as: Page.self)
        guard case .decoding(let failure, let context)? = response.error else {
            Issue.record("\(String(describing: response.error))"); return
        }
        #expect(failure.codingPath == "orders[1].id")
        #expect(failure.excerpt.contains("zwei"))
        #expect(failure.excerpt.count < 300)
        #expect(!"\(failure.localizedDescription)".contains("s3cret"))
        #expect(context.body.count == body.utf8.count)
        #expect(response.error?.description.contains("orders[1].id") == true)
    }

    @Test(
        "a response that is not JSON, not UTF-8 or of the wrong shape is a decoding error with its body kept",
        arguments: [
            Data("<html>down</html>".utf8), Data([0xFF, 0xFE, 0x00]), Data("[1,2]".utf8), Data(#"{"id":null}"#.utf8),
            Data(#"{"id":"#.utf8),
        ])
    func undecodable(body: Data) async {
        let transport = RecordingTransport { request in
            Response(request: request, head: ResponseHead(status: .ok), data: body, result: .success(body))
        }
        let response = await Channel.test("https://h.example", transport: transport).manager().response(
            for: TestEndpoint(), as: Item.self)
        #expect(response.error?.label == "decoding")
        #expect(response.data == body)
        #expect(response.error?.context.body == body)
        #expect(response.error?.localizedDescription.isEmpty == false)
    }

    @Test(
        "a decoding error below a secret does not show it",
        arguments: [
            #"{"token":{"value":"s3cret"}}"#, #"{"token":{"value":["s3cret"]}}"#,
        ])
    func secretDecodingError(body: String) async {
        struct Holder: Decodable, Sendable { var token: [String: Int] }
        let channel = Channel.test("https://h.example", transport: RecordingTransport(body: body))
        let error = await channel.manager().response(for: TestEndpoint(), as: Holder.self).error
        #expect(error?.label == "decoding")
        #expect(error?.description.contains("s3cret") == false, "\(error?.description ?? "")")
    }

    @Test("an error's text is one line, for every response of a server")
    func forgedError() async {
        struct Rude: Error, LocalizedError { var errorDescription: String? { "x\n2026-01-01 error: forged\r" } }
        var channel = Channel.test("https://h.example", transport: RecordingTransport())
        channel.errorFilter = ErrorFilter { _ in Rude() }
        let text = await channel.manager().response(for: TestEndpoint(), as: .nothing).error?.localizedDescription ?? ""
        #expect(text.contains("forged") && !text.contains("\n") && !text.contains("\r"))
    }

    @Test("an error's text contains no secret")
    func redactedError() async {
        let channel = Channel.test("https://h.example", transport: RecordingTransport(status: 500))
        let response = await channel.manager().response(for: TestEndpoint("a?token=s3cret"), as: Item.self)
        #expect(response.error?.description.contains("s3cret") == false)
        #expect(response.error?.description.contains("token=<redacted>") == true)
    }

    @Test("request error, invalid status, nil value, custom and unknown each keep all their content")
    func mapping() async throws {
        struct Odd: Error, Equatable { var id = 5 }
        func error(_ endpoint: TestEndpoint = TestEndpoint(), status: Int = 200, body: String = "{}", filter: ErrorFilter = .none)
            async -> APIClientError?
        {
            var channel = Channel.test("https://h.example", transport: RecordingTransport(status: status, body: body))
            channel.errorFilter = filter
            return await channel.manager().response(for: endpoint, as: Item.self).error
        }
        guard case .request(.malformedHeader(let name, _), _)? = await error(TestEndpoint(headers: ["X-A": "b\r\n"])) else {
            Issue.record("expected a request error"); return
        }
        #expect(name == "X-A")
        guard case .verification(.unacceptableStatus(500, _), let context)? = await error(status: 500, body: "oops") else {
            Issue.record("expected an invalid status"); return
        }
        #expect(String(decoding: context.body, as: UTF8.self) == "oops")
        guard case .verification(.emptyBody(204, let expected), _)? = await error(status: 204, body: "") else {
            Issue.record("expected a missing value"); return
        }
        #expect(expected == "Item")
        #expect(await error(filter: ErrorFilter { _ in Odd() })?.app() == Odd())

        let request = try #require(await error(status: 500)?.context)
        #expect(APIClientError(Odd(), request).label == "unknown")
        #expect(APIClientError(Odd(), request).underlyingError as? Odd == Odd())
        #expect(APIClientError(CancellationError(), request).isCancelled)
        #expect(APIClientError(TransportError.closed, request).label == "transport.closed")
        #expect(APIClientError(RequestError.malformedMethod("x y"), request).label == "request.malformedMethod")
        #expect(APIClientError(VerificationError.custom(Odd()), request).label == "verification.custom")
        let whole = APIClientError.app(Odd(), request)
        #expect(APIClientError(whole, request).app() == Odd())
    }
}
