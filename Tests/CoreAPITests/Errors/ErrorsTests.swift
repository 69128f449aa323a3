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
        var channel = Channel.test(RecordingTransport(status: 500))
        channel.errorHandler = CompositeErrorHandler([
            Only(label: "decoding", replacement: Trouble(code: 1)),
            Only(label: "verification.unacceptableStatus.500", replacement: Trouble(code: 2)),
            Only(label: "verification.unacceptableStatus.500", replacement: Trouble(code: 3)),
        ])
        #expect(await channel.error()?.app() == Trouble(code: 2))
        channel.transport = RecordingTransport(status: 404)
        #expect(await channel.error()?.label == "verification.unacceptableStatus.404")
    }

    @Test("an error's text is one line, for every response of a server")
    func forgedError() async {
        struct Rude: Error, LocalizedError { var errorDescription: String? { "x\n2026-01-01 error: forged\r" } }
        let channel = Channel.test(RecordingTransport()) { $0.errorFilter = ErrorFilter { _ in Rude() } }
        let text = await channel.error()?.localizedDescription ?? ""
        #expect(text.contains("forged") && !text.contains("\n") && !text.contains("\r"))
    }

    private func error(
        _ endpoint: TestEndpoint = TestEndpoint(), status: Int = 200, body: String = "{}", filter: ErrorFilter = .none
    ) async -> APIClientError? {
        let channel = Channel.test(RecordingTransport(status: status, body: body)) { $0.errorFilter = filter }
        return await channel.item(endpoint).error
    }

    @Test("request error, invalid status, nil value, custom and unknown each keep all their content")
    func mapping() async throws {
        struct Odd: Error, Equatable { var id = 5 }
        let header = await error(TestEndpoint(headers: ["X-A": "b\r\n"]))
        #expect(header?.label == "request.malformedHeader" && "\(header as Any)".contains("X-A"))
        let rejected = await error(status: 500, body: "oops")
        #expect(rejected?.label == "verification.unacceptableStatus.500" && rejected?.context.body == Data("oops".utf8))
        let malformed = await error(body: "oops")
        #expect(malformed?.label == "decoding" && malformed?.context.body == Data("oops".utf8))
        let empty = await error(status: 204, body: "")
        #expect(empty?.label == "verification.emptyBody" && "\(empty as Any)".contains("Item"))
        #expect(await error(filter: ErrorFilter { _ in Odd() })?.app() == Odd())

        let request = try #require(await error(status: 500)?.context)
        #expect(APIClientError(Odd(), request).label == "unknown")
        #expect(APIClientError(Odd(), request).underlyingError as? Odd == Odd())
        #expect(APIClientError(CancellationError(), request).isCancelled)
        #expect(APIClientError(TransportError.closed, request).label == "transport.closed")
        #expect(APIClientError(RequestError.malformedMethod("x y"), request).label == "request.malformedMethod")
        #expect(APIClientError(VerificationError.custom(Odd()), request).label == "verification.custom")
        #expect(APIClientError(APIClientError.app(Odd(), request), request).app() == Odd())
    }
}
