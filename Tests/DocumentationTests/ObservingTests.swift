import Logging
import TestSupport

@Suite("The page about logging, metrics and tracing", .closing, .timeLimit(.minutes(1)))
struct ObservingTests {
    @Test("a line per event goes to a function, with its secrets hidden")
    func redaction() async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"id": 7, "sessionToken": "s3cret", "plate": "34 ABC 1"}"#) }
        var channel = Channel.test(server)
        let seen = Seen()
        let write: @Sendable (String) -> Void = { line in seen.change { $0 += line + "\n" } }
        channel.logger = CoreNetworkLogger(options: .all) { line in write(line) }
        channel.redaction = Redaction(["plate"])
        try await channel.dispatcher.request(.get("thing?api_key=s3cret", headers: ["Authorization": "Bearer s3cret"]))
        #expect(seen.text.contains("request sent") && seen.text.contains("request finished"))
        #expect(seen.text.contains(Redaction.mask))
        #expect(!seen.text.contains("s3cret") && !seen.text.contains("34 ABC 1"), "\(seen.text)")
    }

    private struct Levels: LogHandler {
        let seen: Seen
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = "\(event.level) \(event.message)\n"
            seen.change { $0 += line }
        }
    }

    @Test("a channel may change a failure's level", arguments: [404, 409])
    func level(status: Int) async throws {
        let seen = Seen()
        let logger = Logger(label: "shop") { _ in Levels(seen: seen) }
        var channel = Channel.test(FixtureTransport([Fixture(status: status)]))
        var log = CoreNetworkLogger(subsystem: "com.shop.app", category: "shop", logger: logger)
        log.level = { error in error.context.head?.status == .notFound ? .debug : CoreNetworkLogger.level(of: error) }
        channel.logger = log
        _ = await channel.dispatcher.response(for: TypedEndpoint.get("thing"), as: .nothing)
        #expect(seen.text == "debug request sent\n\(status == 404 ? "debug" : "notice") request failed\n")
    }

    @Test("how a channel is made decides whether it logs, and a line changes that")
    func loggers() async throws {
        var channel = Channel(name: "shop", environment: APIEnvironment(ShopHost.production))
        let environment = channel.environment
        #expect(channel.logger == nil && CommonDispatcher(environment: environment).channel.logger == nil)
        let client = APIClient(transport: FixtureTransport([Fixture(body: "{}")]))
        let answer = await client.response(to: APIRequest(ShopEndpoint.product(7), environment: environment, as: Product.self))
        #expect(answer.call.channel.logger == nil)
        let host = NetworkManager<Never>(host: "api.shop.example", networkLogger: CoreNetworkLogger { _ in })
        #expect(host.channel?.logger is CoreNetworkLogger)
        var rotating = Channel.bakery
        rotating.environmentSwitch = APIEnvironment.Switch(rotating.environment)
        for made in [.bakery, .bakery.at(.staging), .bakery.with { $0.summary = "" }, rotating, rotating.at(.staging)]
            as [Channel]
        { #expect(made.logger is CoreNetworkLogger) }
        channel.logger = CoreNetworkLogger(subsystem: "com.shop.app", category: "shop")
        channel.logger = nil
        #expect(channel.stages == Channel(name: "shop", environment: environment).stages)
    }

    @Test("options of several levels add up, and off at the nearest level silences a call", arguments: [false, true])
    func options(isOff: Bool) async throws {
        let seen = Seen()
        var channel = Channel.test(FixtureTransport([Fixture(body: #"{"id": 7}"#)]))
        channel.logger = CoreNetworkLogger { line in seen.change { $0 += line + "\n" } }
        channel.modifiers = [RequestLogging.standard]
        let manager = NetworkManager<ShopEndpoint>(channel: channel)
        let quiet = manager.attaching(RequestLogging.off)
        let verbose = manager.attaching(RequestLogging.responseBody)
        _ = try await (isOff ? quiet : verbose).request(endpoint: .product(7), type: Product.self)
        #expect(isOff ? seen.text.isEmpty : seen.text.contains("response.body={\"id\":7}") && seen.text.contains("status=200"))
    }

    private struct Backend: MetricsBackend {
        let seen: Seen

        func increment(_ name: String, _ dimensions: [(String, String)]) {
            let line = "\(name) \(dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: " "))\n"
            seen.change { $0 += line }
        }

        func record(_ name: String, _ duration: Duration, _ dimensions: [(String, String)]) {
            let line = "\(name) \(duration > .zero)\n"
            seen.change { $0 += line }
        }
    }

    @Test("metrics have names of few values, and the phases' times")
    func metrics() async throws {
        let server = try LoopbackServer.start(tls: ServerTLS()) { _ in .json(#"{"id": 7}"#) }
        let seen = Seen()
        try await withChannel(
            .shop(.production), server: server, change: { $0.listeners = [CallMetrics(backend: Backend(seen: seen))] }
        ) {
            _ = try await NetworkManager<ShopEndpoint>(channel: .shop(.production)).request(
                endpoint: .product(7), type: Product.self)
        }
        let lines = Set(seen.text.split(separator: "\n").map(String.init))
        #expect(lines.contains("calls channel=shop endpoint=product outcome=success"), "\(lines)")
        #expect(lines.isSuperset(of: ["call_duration true", "tls_duration true", "first_byte_duration true"]), "\(lines)")
    }

    private struct Tracer: SpanTracer {
        let seen: Seen

        func start(_ name: String) -> String { name }
        func fields(of span: String) -> [String: String] {
            ["traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"]
        }
        func end(_ span: String, status: Int?, error: APIClientError?) {
            let line = "\(span) \(status ?? 0) \(error?.label ?? "-")\n"
            seen.change { $0 += line }
        }
    }

    @Test("each hop has a span, and takes its traceparent along")
    func tracing() async throws {
        let server = try LoopbackServer.test { $0.path == "/thing" ? .redirect(to: "/other") : .ok() }
        let seen = Seen()
        let channel = Channel.test(server) { $0.attemptMiddleware = [TracingMiddleware(tracer: Tracer(seen: seen))] }
        try await channel.dispatcher.request(.get("thing", name: "thing"))
        #expect(seen.text == "thing 302 -\nthing 200 -\n")
        #expect(server.requests.allSatisfy { $0.headers["traceparent"]?.hasPrefix("00-4bf92f") == true })
        #expect(server.requests.count == 2)
    }
}
