import MLInteractors
import MLNetworker
import TestSupport

@Suite("ML: signatures")
struct MLSignatureTests {
    @Test("a wrong secret is the signature's error")
    func wrongSecret() async throws {
        let failure = try await failure(of: .ml.at(.sandbox, credentials: ["ML_KEY_ID": "ml-sandbox", "ML_SECRET": "wrong"]))
        #expect(failure.code == 1401 && failure.httpStatus == 403)
    }

    @Test("a clock that is ten minutes slow is the date's error")
    func slowClock() async throws {
        let failure = try await failure(
            of: .ml.at(.sandbox).with { $0.attemptMiddleware = [Channel.mlSigning { Date(timeIntervalSinceNow: -600) }] })
        #expect(failure.code == 1402 && failure.httpStatus == 403)
    }

    private func failure(of channel: Channel) async throws -> MLError {
        let error = await #expect(throws: APIClientError.self) {
            try await withSandbox(channel) { _ in try await MLMenuInteractor().menu(restaurantID: "ml-1") }
        }
        return try #require(error?.app(MLError.self))
    }

    @Test(
        "covers path, query and body as sent",
        arguments: [
            TypedEndpoint.get("restaurants?lat=41.04&lon=29.00&q=kıymalı pide"),
            TypedEndpoint.get("restaurants", query: ["lat": 41.04, "lon": 29.00, "q": "çiğ köfte & ayran", "sort": "a+b/c"]),
        ])
    func target(endpoint: GET<Void, Void>) async throws {
        try await withSandbox(.ml.at(.sandbox)) { _ in
            try await MLNetworker<Never>().networkManager.request(endpoint)
        }
    }

    // The sandbox checks the signature before the path, so a 404 proves an accepted signature.
    @Test("covers the body")
    func body() async throws {
        let endpoint = TypedEndpoint.post("nowhere", body: ["note": "acısız", "count": 2] as Parameters)
        let error = await #expect(throws: APIClientError.self) {
            try await withSandbox(.ml.at(.sandbox)) { _ in
                try await MLNetworker<Never>().networkManager.request(endpoint)
            }
        }
        #expect(error?.app(MLError.self)?.code == 1004)
    }

    @Test("is computed for every attempt, with the time of that attempt")
    func perAttempt() async throws {
        let seconds = Mutex(0)
        let start = Date()
        let answers = Mutex([503, 503])
        let wire = CurlTransport()
        let transport = RecordingTransport(
            StubbornTransport(next: wire) { answers.withLock { $0.isEmpty ? nil : $0.removeFirst() } })
        let signing = Channel.mlSigning {
            start.addingTimeInterval(
                TimeInterval(
                    seconds.withLock { seconds in
                        defer { seconds += 7 }
                        return seconds
                    }))
        }
        var channel = Channel.ml.at(.sandbox)
        channel.attemptMiddleware = [signing]
        channel.transport = transport
        channel.interceptors.append(RetryPolicy(base: .milliseconds(1)))
        let response = try await withSandbox(channel) { _ in
            await MLMenuInteractor().networkManager.response(for: .menu(restaurantID: "ml-1"), as: MLMenuResponse.self)
        }
        #expect(response.error == nil)
        #expect(response.attempts.map(\.status) == [503, 503, 200])
        #expect(Set(transport.requests.compactMap { $0.header("x-ml-date") }).count == 3)
        #expect(Set(transport.requests.compactMap { $0.header("x-ml-signature") }).count == 3)
        #expect(Set(transport.requests.compactMap { $0.header("x-ml-key-id") }) == ["ml-sandbox"])
    }

    /// Gives the configured answers first, and passes later requests on.
    private struct StubbornTransport: Transport {
        let next: any Transport
        let status: @Sendable () -> Int?

        func send(_ attempt: Attempt) async -> RawResponse {
            guard let status = status() else { return await next.send(attempt) }
            return await StubTransport { _ in (status, "") }.send(attempt)
        }

        func close() async { await next.close() }
    }

    @Test("a body that is not in memory cannot be signed, and no request is sent")
    func fileBody() async throws {
        let transport = RecordingTransport(StubTransport { _ in (200, "{}") })
        var channel = Channel.ml.at(.sandbox)
        channel.transport = transport
        channel.enhancers = [FileBody()]
        let error = await #expect(throws: APIClientError.self) {
            try await ChannelOverride.with(channel) {
                try await MLNetworker<Never>().networkManager.request(.put("photos"))
            }
        }
        #expect(error?.underlyingError as? BodyError == .notInMemory(.file))
        #expect(error?.label == "adapting")
        #expect(transport.requests.isEmpty)
    }

    private struct FileBody: RequestEnhancer {
        func enhance(_ request: inout Request) throws { request.body = .file(URL(fileURLWithPath: "/dev/null")) }
    }

    @Test(
        "without a key no request is sent, and the error names the variable",
        arguments: [([:], "ML_KEY_ID"), (["ML_KEY_ID": "k"], "ML_SECRET")])
    func noKey(variables: [String: String], missing: String) async throws {
        let transport = RecordingTransport(StubTransport { _ in (200, "") })
        var channel = Channel.ml.at(.production, credentials: Channel.Credentials(variables))
        channel.transport = transport
        let error = await #expect(throws: APIClientError.self) {
            try await ChannelOverride.with(channel) { try await MLMenuInteractor().menu(restaurantID: "ml-1") }
        }
        #expect((error?.underlyingError as? Credential.Missing)?.variable == missing)
        #expect(error?.description.contains(missing) == true)
        #expect(error?.description.contains("<redacted>") == false)
        #expect(transport.requests.isEmpty)
    }
}
