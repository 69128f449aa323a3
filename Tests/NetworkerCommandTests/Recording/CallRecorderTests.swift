import TestSupport

@testable import NetworkerCommand

@Suite("The call recorder")
struct CallRecorderTests {
    private struct AskAgain: RequestInterceptor {
        func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult {
            response.attempts.count < 2 ? .retryAfter(.milliseconds(3)) : .doNotRetry
        }
    }

    private struct Reject: RequestInterceptor, Error {
        func adapt(_ request: inout Request) async throws { throw self }
    }

    @Test("records every attempt with its response and the pause before it")
    func attempts() async throws {
        let call = try await recorded(AskAgain())
        #expect(call.exchanges.map(\.request.attempt) == [1, 2])
        #expect(call.exchanges.map(\.status) == [503, 503])
        #expect(call.exchanges.map(\.pause) == [.zero, .milliseconds(3)])
        #expect(call.exchanges[0].sentAt < call.exchanges[1].sentAt)
        #expect(call.outcome?.error?.label == "verification.unacceptableStatus.503")
        #expect((call.outcome?.elapsed ?? .zero) >= .milliseconds(3))
    }

    @Test("records a call that was never sent, without an exchange")
    func unsent() async throws {
        let call = try await recorded(Reject())
        #expect(call.exchanges.isEmpty)
        #expect(call.outcome?.error?.label == "adapting")
    }

    /// The metrics sample of the page "Logging, metrics and tracing".
    private final class Metrics: Listener {
        private let counts = Mutex<[String: Int]>([:])

        func notify(_ event: CallEvent) {
            switch event {
            case .finished(let response): count(response.error?.label ?? "success")
            case .retrying: count("retry")
            default: break
            }
        }

        private func count(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

        var totals: [String: Int] { counts.withLock { $0 } }
    }

    @Test("records each hop of a redirect, beside the logger and the metrics")
    func redirect() async throws {
        let lines = Mutex<[String]>([])
        let metrics = Metrics()
        let call = try await recorded(
            AskAgain(), path: "old", logger: CoreNetworkLogger { line in lines.withLock { $0.append(line) } },
            beside: [metrics])
        #expect(call.exchanges.map(\.status) == [302, 503, 302, 503])
        // Sending, retrying, sending, finished.
        let log = lines.withLock { $0 }
        #expect(log.count == 4 && log.allSatisfy { $0.contains(call.id) }, "\(log)")
        #expect(metrics.totals == ["retry": 1, "verification.unacceptableStatus.503": 1])
    }

    private func recorded(
        _ interceptor: any RequestInterceptor, path: String = "a", logger: (any NetworkLogger)? = nil,
        beside listeners: [any Listener] = []
    ) async throws -> RecordedCall {
        var channel = try #require(ChannelRegistry.standard.entry("HTTPBin")).place(nil).make()
        channel.transport = FixtureTransport([
            Fixture(.get, "a", status: 503), Fixture(.get, "old", status: 302, headers: ["Location": "/a"]),
        ])
        channel.interceptors = [interceptor]
        let recorder = CallRecorder()
        channel.logger = logger
        channel.listeners = listeners + [recorder]
        _ = await CommonDispatcher(channel: channel).response(for: TypedEndpoint.get(path), as: .nothing)
        let calls = recorder.takeFinished()
        #expect(recorder.takeFinished().isEmpty)
        return try #require(calls.count == 1 ? calls.first : nil)
    }
}
