import TestSupport

@Suite("Errors: the handlers that come with the kit")
struct StandardErrorHandlersTests {
    private func attempts(
        _ handler: any ErrorHandler, _ method: HTTPRequest.Method = .get, headers: Headers = [:],
        _ answer: @escaping @Sendable (Request) -> Response<Data>
    ) async -> [Attempt.Outcome] {
        let channel = Channel.test(RecordingTransport { answer($0) }) { $0.errorHandler = handler }
        return await channel.manager.response(for: TestEndpoint("x", method, headers: headers), as: .nothing).attempts
    }

    private static func failing(_ error: TransportError) -> @Sendable (Request) -> Response<Data> {
        { Response(request: $0, result: .failure(.transport(error, APIClientError.Context($0)))) }
    }

    @Test("by status code")
    func statusCode() async {
        let decide: @Sendable (Response<Void>) async -> RetryResult = { $0.attempts.count < 3 ? .retry : .doNotRetry }
        for handler in [
            StatusCodeErrorHandler(409, 423, decide: decide), StatusCodeErrorHandler([409, 423], decide: decide),
            StatusCodeErrorHandler(409..<424, decide: decide), StatusCodeErrorHandler(409...423, decide: decide),
        ] {
            for (status, count) in [(408, 1), (409, 3), (423, 3), (424, 1)] {
                #expect(await attempts(handler) { .answer(to: $0, status: status) }.count == count)
            }
            #expect(await attempts(handler, .get, Self.failing(.closed)).count == 1)
        }
    }

    @Test("without internet: three repetitions, a pause before each")
    func noInternet() async {
        let handler = NoInternetErrorHandler(pause: .milliseconds(5))
        let lost = await attempts(handler, .post, Self.failing(.cannotResolveHost("h")))
        #expect(lost.count == 4 && lost.dropFirst().allSatisfy { $0.delay == .milliseconds(5) })
        let once = NoInternetErrorHandler(repetitions: 1, pause: .zero)
        #expect(await attempts(once, .get, Self.failing(.cannotConnect(host: "h", reason: ""))).count == 2)
        #expect(await attempts(handler, .get, Self.failing(.tls(host: "h", reason: ""))).count == 1)
        #expect(await attempts(handler) { .answer(to: $0, status: 500) }.count == 1)
    }

    @Test("after a timeout: three repetitions without a pause, for requests that may be repeated")
    func timeout() async {
        let handler = RequestTimeoutErrorHandler()
        let idle = Self.failing(.timedOut(.idle, after: .seconds(1)))
        #expect(await attempts(handler, .get, idle).map(\.delay) == [.zero, .zero, .zero, .zero])
        let patient = CompositeErrorHandler(RequestTimeoutErrorHandler(repetitions: 1, pause: .milliseconds(7)))
        #expect(await attempts(patient, .get, idle).map(\.delay) == [.zero, .milliseconds(7)])
        #expect(await attempts(handler, .post, idle).count == 1)
        #expect(await attempts(handler, .post, headers: ["Idempotency-Key": "k"], idle).count == 4)
        #expect(await attempts(handler, .post, Self.failing(.timedOut(.connect, after: .seconds(1)))).count == 4)
        #expect(await attempts(handler, .get, Self.failing(.timedOut(.total, after: .seconds(1)))).count == 1)
        #expect(await attempts(handler, .get) { .answer(to: $0, status: 408) }.count == 4)
        #expect(await attempts(handler, .post) { .answer(to: $0, status: 408) }.count == 1)
    }

    @Test("after a 408, as long as the server asks")
    func asked() async {
        let handler = RequestTimeoutErrorHandler(repetitions: 1)
        let asking: @Sendable (Request) -> Response<Data> = { .answer(to: $0, status: 408, headers: [.retryAfter: "1"]) }
        #expect(await attempts(handler, .get, asking).map(\.delay) == [.zero, .seconds(1)])
    }
}
