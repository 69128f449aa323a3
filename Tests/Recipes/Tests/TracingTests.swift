import CoreAPI
import CoreAPITesting
import InMemoryTracing
import Testing
import Tracing

/// The tracer of the page "Logging, metrics and tracing".
struct SwiftTracing: SpanTracer {
    struct Fields: Injector {
        func inject(_ value: String, forKey key: String, into fields: inout [String: String]) { fields[key] = value }
    }

    let tracer: any Tracer

    func start(_ name: String) -> any Tracing.Span { tracer.startAnySpan(name, ofKind: .client) }

    func fields(of span: any Tracing.Span) -> [String: String] {
        var fields: [String: String] = [:]
        tracer.inject(span.context, into: &fields, using: Fields())
        return fields
    }

    func end(_ span: any Tracing.Span, status: Int?, error: APIClientError?) {
        if let status { span.attributes["http.response.status_code"] = status }
        if let error {
            span.recordError(error)
            span.setStatus(SpanStatus(code: .error, message: error.label))
        }
        span.end()
    }
}

/// Keeps spans in memory, and injects the field of W3C Trace Context.
private struct TestTracer: Tracer {
    let memory = InMemoryTracer(
        idGenerator: .init(nextTraceID: { TestTracer.id(digits: 32) }, nextSpanID: { TestTracer.id(digits: 16) }))

    private static func id(digits: Int) -> String {
        String((0..<digits).map { _ in "0123456789abcdef".randomElement()! })
    }

    static func traceparent(_ span: InMemorySpanContext?) -> String? { span.map { "00-\($0.traceID)-\($0.spanID)-01" } }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> InMemorySpan {
        memory.startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID, line: line)
    }

    func inject<Carrier, Inject: Injector>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject.Carrier == Carrier {
        guard let field = Self.traceparent(context.inMemorySpanContext) else { return }
        injector.inject(field, forKey: "traceparent", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    func forceFlush() {}
}

@Suite("Spans by swift-distributed-tracing", .timeLimit(.minutes(1)))
struct TracingTests {
    private let tracer = TestTracer()
    private var spans: [FinishedInMemorySpan] { tracer.memory.finishedSpans }
    private var middleware: any Middleware { TracingMiddleware(tracer: SwiftTracing(tracer: tracer)) }

    @Test("have the endpoint's name, and the span of the caller's task as their parent, for each hop")
    func hops() async throws {
        let server = try LoopbackServer.start { $0.path == "/thing" ? .redirect(to: "/other") : .ok() }
        defer { server.close() }
        var channel = Channel.test(server)
        channel.attemptMiddleware = [middleware]
        let dispatcher = CommonDispatcher(channel: channel)
        try await tracer.withSpan("order") { _ in try await dispatcher.request(.get("thing", name: "thing")) }
        await channel.close()

        #expect(spans.map(\.operationName) == ["thing", "thing", "order"])
        let parent = try #require(spans.last)
        for span in spans.dropLast() {
            #expect(span.kind == .client && span.parentSpanID == parent.spanID && span.traceID == parent.traceID)
        }
        #expect(spans.map { $0.attributes["http.response.status_code"]?.toSpanAttribute() } == [.int64(302), .int64(200), nil])
        #expect(
            server.requests.map { $0.headers["traceparent"] } == spans.dropLast().map { TestTracer.traceparent($0.spanContext) })
    }

    @Test("record the error of an attempt that failed, and no error of a rejected status")
    func failure() async throws {
        let server = try LoopbackServer.start(script: [.resetBeforeHead, .status(503), .ok()])
        defer { server.close() }
        var channel = Channel.test(server)
        channel.attemptMiddleware = [middleware]
        channel.interceptors = [RetryPolicy(attempts: 3, base: .zero)]
        try await CommonDispatcher(channel: channel).request(.get("thing"))
        await channel.close()

        #expect(spans.map { $0.attributes["http.response.status_code"]?.toSpanAttribute() } == [nil, .int64(503), .int64(200)])
        let first = try #require(spans.first)
        let error = try #require(first.errors.first?.error as? APIClientError)
        #expect(first.errors.count == 1 && error.label == "transport.connectionLost")
        #expect(first.status == SpanStatus(code: .error, message: error.label))
        #expect(spans.dropFirst().allSatisfy { $0.errors.isEmpty && $0.status == nil })
        #expect(server.requests.map { $0.headers["traceparent"] } == spans.map { TestTracer.traceparent($0.spanContext) })
    }

    @Test("are one for the whole call around the call, and go with each of its attempts")
    func wholeCall() async throws {
        let server = try LoopbackServer.start(script: [.status(503), .ok()])
        defer { server.close() }
        var channel = Channel.test(server)
        channel.callMiddleware = [middleware]
        channel.interceptors = [RetryPolicy(attempts: 2, base: .zero)]
        try await CommonDispatcher(channel: channel).request(.get("thing"))
        await channel.close()

        let span = try #require(spans.first)
        #expect(spans.count == 1 && span.errors.isEmpty)
        let traceparent = TestTracer.traceparent(span.spanContext)
        #expect(server.requests.map { $0.headers["traceparent"] } == [traceparent, traceparent])
    }
}
