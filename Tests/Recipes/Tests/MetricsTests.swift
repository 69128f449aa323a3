import CoreAPI
import CoreAPITesting
import Metrics
import MetricsTestKit
import Testing

/// The backend of the page "Logging, metrics and tracing".
struct SwiftMetrics: MetricsBackend {
    func increment(_ name: String, _ dimensions: [(String, String)]) {
        Counter(label: name, dimensions: dimensions).increment()
    }

    func record(_ name: String, _ duration: Duration, _ dimensions: [(String, String)]) {
        Timer(label: name, dimensions: dimensions).record(duration: duration)
    }
}

@Suite("Metrics by swift-metrics", .timeLimit(.minutes(1)))
struct MetricsTests {
    /// A process can set it once.
    private static let metrics: TestMetrics = {
        let metrics = TestMetrics()
        MetricsSystem.bootstrap(metrics)
        return metrics
    }()

    @Test("count calls by outcome, and time each attempt")
    func calls() async throws {
        let metrics = Self.metrics
        metrics.reset()
        let server = try LoopbackServer.start(tls: ServerTLS()) { $0.path == "/good" ? .ok() : .status(503) }
        defer { server.close() }
        var channel = Channel.test(server)
        channel.listeners = [CallMetrics(backend: SwiftMetrics())]
        channel.interceptors = [RetryPolicy(attempts: 2, base: .zero)]
        let dispatcher = CommonDispatcher(channel: channel)
        for name in ["good", "bad", "bad"] {
            _ = await dispatcher.response(for: TypedEndpoint.get(name, name: name), as: .nothing)
        }
        await channel.close()

        #expect(metrics.counters.count == 2)
        for (endpoint, outcome, count) in [("good", "success", 1), ("bad", "verification.unacceptableStatus.503", 2)] {
            let dimensions = [("channel", "test"), ("endpoint", endpoint), ("outcome", outcome)]
            #expect(try metrics.expectCounter("calls", dimensions).totalValue == count)
            let durations = try metrics.expectTimer("call_duration", dimensions).values
            #expect(durations.count == count && durations.allSatisfy { $0 > 0 })
        }
        // The second call and the third one have two attempts each.
        for name in ["queue_duration", "first_byte_duration"] {
            #expect(try metrics.expectTimer(name, [("channel", "test")]).values.count == 5, "\(name)")
        }
        let handshakes = try metrics.expectTimer("tls_duration", [("channel", "test")]).values
        #expect(handshakes.count == server.connectionsAccepted && handshakes.allSatisfy { $0 > 0 })
    }
}
