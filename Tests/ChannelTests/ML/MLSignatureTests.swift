import MLInteractors
import MLNetworker
import TestSupport

@Suite("ML: signatures")
struct MLSignatureTests {
    @Test("a wrong secret is the signature's error")
    func wrongSecret() async throws {
        let failure = try await error(of: .ml.at(.sandbox, credentials: ["ML_KEY_ID": "ml-sandbox", "ML_SECRET": "wrong"]))
        #expect(failure.code == 1401 && failure.httpStatus == 403)
    }

    @Test("a clock that is ten minutes slow is the date's error")
    func slowClock() async throws {
        let failure = try await error(
            of: .ml.at(.sandbox).with { $0.attemptMiddleware = [Channel.mlSigning { Date(timeIntervalSinceNow: -600) }] })
        #expect(failure.code == 1402 && failure.httpStatus == 403)
    }

    private func error(of channel: Channel) async throws -> MLError {
        try await rejection(MLError.self, on: channel) { try await MLMenuInteractor().menu(restaurantID: "ml-1") }
    }

    @Test(
        "covers path, query and body as sent",
        arguments: [
            TypedEndpoint.get("restaurants?lat=41.04&lon=29.00&q=kıymalı pide"),
            TypedEndpoint.get("restaurants", query: ["lat": 41.04, "lon": 29.00, "q": "çiğ köfte & ayran", "sort": "a+b/c"]),
        ])
    func target(endpoint: GET<Void, Void>) async throws {
        try await withSandbox(.ml.at(.sandbox)) { _ in try await MLNetworker<Never>().networkManager.request(endpoint) }
    }

    // The sandbox checks the signature before the path, so a 404 proves an accepted signature.
    @Test("covers the body")
    func body() async throws {
        let endpoint = TypedEndpoint.post("nowhere", body: ["note": "acısız", "count": 2] as Parameters)
        let failure = try await rejection(MLError.self, on: .ml.at(.sandbox)) {
            try await MLNetworker<Never>().networkManager.request(endpoint)
        }
        #expect(failure.code == 1004)
    }

    @Test("is computed for every attempt, with the time of that attempt")
    func perAttempt() async throws {
        let (calls, start) = (Shared(0), Date())
        let transport = RecordingTransport(StubbornTransport())
        let channel = Channel.ml.at(.sandbox).with {
            $0.attemptMiddleware = [Channel.mlSigning { start.addingTimeInterval(TimeInterval(7 * calls.next())) }]
            $0.transport = transport
            $0.interceptors.append(RetryPolicy(base: .milliseconds(1)))
        }
        let response = try await withSandbox(channel) { _ in
            await MLMenuInteractor().networkManager
                .response(for: MLMenuEndpointItem.menu(restaurantID: "ml-1"), as: MLMenuResponse.self)
        }
        #expect(response.error == nil && response.attempts.map(\.status) == [503, 503, 200])
        #expect(Set(transport.requests.compactMap { $0.header("x-ml-date") }).count == 3)
        #expect(Set(transport.requests.compactMap { $0.header("x-ml-signature") }).count == 3)
        #expect(Set(transport.requests.compactMap { $0.header("x-ml-key-id") }) == ["ml-sandbox"])
    }

    /// Rejects the first two requests, and passes later ones on.
    private struct StubbornTransport: Transport {
        let next = CurlTransport()
        let count = Shared(0)

        func send(_ attempt: Attempt) async -> RawResponse {
            if count.next() >= 2 { return await next.send(attempt) }
            return RawResponse(attempt, head: ResponseHead(status: .serviceUnavailable))
        }

        func close() async { await next.close() }
    }

    @Test("a body that is not in memory cannot be signed, and no request is sent")
    func fileBody() async throws {
        let transport = RecordingTransport()
        let photo = InputEncoding.body(.file(URL(fileURLWithPath: "/dev/null")))
        let error = await failure {
            try await ChannelOverride.with(Channel.ml.at(.sandbox).with { $0.transport = transport }) {
                try await MLNetworker<Never>().networkManager.request(.put("photos", encoding: photo))
            }
        }
        #expect(error?.underlyingError as? BodyError == .notInMemory(.file) && error?.label == "adapting")
        #expect(transport.requests.isEmpty)
    }
}
