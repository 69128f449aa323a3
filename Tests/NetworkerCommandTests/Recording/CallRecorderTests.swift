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
        #expect(call.exchanges.map(\.request.attempt) == [1, 2] && call.exchanges.map(\.status) == [503, 503])
        #expect(call.exchanges.map(\.pause) == [.zero, .milliseconds(3)])
        #expect(call.exchanges[0].sentAt < call.exchanges[1].sentAt)
        #expect(call.outcome?.error?.label == "verification.unacceptableStatus.503")
        #expect((call.outcome?.elapsed ?? .zero) >= .milliseconds(3))
    }

    @Test("records a call that was never sent, without an exchange")
    func unsent() async throws {
        let call = try await recorded(Reject())
        #expect(call.exchanges.isEmpty && call.outcome?.error?.label == "adapting")
    }

    @Test("records each hop of a redirect, beside the logger")
    func redirect() async throws {
        let lines = Shared<[String]>([])
        let logger = CoreNetworkLogger { line in lines.change { $0.append(line) } }
        let call = try await recorded(AskAgain(), path: "old", logger: logger)
        #expect(call.exchanges.map(\.status) == [302, 503, 302, 503])
        // Sending, retrying, sending, finished.
        #expect(lines.current.count == 4 && lines.current.allSatisfy { $0.contains(call.id) }, "\(lines.current)")
    }

    private func recorded(
        _ interceptor: any RequestInterceptor, path: String = "a", logger: (any NetworkLogger)? = nil
    ) async throws -> RecordedCall {
        var channel = try #require(ChannelRegistry.standard.entry("HTTPBin")).place(nil).make()
        channel.transport = FixtureTransport([
            Fixture(.get, "a", status: 503), Fixture(.get, "old", status: 302, headers: ["Location": "/a"]),
        ])
        channel.interceptors = [interceptor]
        let recorder = CallRecorder()
        channel.logger = logger
        channel.listeners = [recorder]
        _ = await CommonDispatcher(channel: channel).response(for: TypedEndpoint.get(path), as: .nothing)
        let calls = recorder.takeFinished()
        #expect(recorder.takeFinished().isEmpty)
        return try #require(calls.count == 1 ? calls.first : nil)
    }
}

@Suite("The timeline")
struct TimelineTests {
    private func exchange(
        _ metrics: ExchangeMetrics?, after delay: Duration, from start: ContinuousClock.Instant
    ) throws -> Exchange {
        let request = Request(
            call: Call(channel: .test(), endpoint: "test"), method: .get, url: try HTTPURL("https://localhost/a?secret=1"))
        var exchange = Exchange(request: request, endpoint: "test", sentAt: start + delay, pause: .zero)
        exchange.response = RawResponse(Attempt(request), metrics: metrics)
        return exchange
    }

    @Test("puts the phases of an exchange in sequence, and the rest of the time last")
    func phases() throws {
        var metrics = ExchangeMetrics()
        (metrics.queued, metrics.nameLookup, metrics.connect) = (.milliseconds(1), .milliseconds(2), .milliseconds(3))
        (metrics.tls, metrics.firstByte, metrics.total) = (.milliseconds(4), .milliseconds(5), .milliseconds(20))
        (metrics.remoteAddress, metrics.remotePort) = ("::1", 8_443)
        let start = ContinuousClock.now
        let chart = Timeline([try exchange(metrics, after: .milliseconds(10), from: start)], from: start).chart
        let bars = try #require(chart.groups.first?.bars)
        #expect(bars.map(\.label) == ["start", "queue", "DNS", "TCP", "TLS", "first byte", "the rest", "total"])
        #expect(bars.map(\.start) == [0, 10, 11, 13, 16, 20, 25, 10].map { Duration.milliseconds($0) })
        #expect(bars.map(\.end) == [10, 11, 13, 16, 20, 25, 31, 31].map { Duration.milliseconds($0) })
        #expect(chart.groups.first?.title == "attempt 1: GET /a, no response, new connection to [::1]:8443")
    }

    @Test("names the part of each exchange: a refresh, the request after it, a redirect, the next attempt")
    func parts() throws {
        let (call, refresh) = (Call(channel: .test(), endpoint: "orders"), Call(channel: .test(), endpoint: "refresh"))
        let url = try HTTPURL("https://localhost/a")
        let exchanges = [(call, 1, 401), (refresh, 2, 200), (call, 1, 302), (call, 1, 503), (call, 2, 200)].map {
            (call, attempt, status) in
            let request = Request(call: call, method: .get, url: url, attempt: attempt)
            var exchange = Exchange(request: request, endpoint: call.endpoint, sentAt: call.started, pause: .zero)
            exchange.head = ResponseHead(status: .init(code: status))
            return exchange
        }
        let titles = Timeline(exchanges, from: call.started, call: call.id).chart.groups.map(\.title)
        #expect(
            titles.compactMap { $0.split(separator: ":").first.map(String.init) }
                == ["attempt 1", "refresh", "sent again", "redirect", "attempt 2"])
    }

    @Test("omits the phases of a reused connection")
    func reused() throws {
        var metrics = ExchangeMetrics()
        (metrics.firstByte, metrics.total, metrics.isConnectionReused) = (.milliseconds(5), .milliseconds(5), true)
        let start = ContinuousClock.now
        let chart = Timeline([try exchange(metrics, after: .zero, from: start)], from: start).chart
        #expect(chart.groups.first?.bars.map(\.label) == ["queue", "first byte", "the rest", "total"])
    }
}
