import CoreAPI

// Shown on the page "Logging, metrics and tracing"; tested in ObservingTests, and in Tests/Recipes with the packages that it
// names.

/// What swift-metrics' `Counter` and `Timer` do.
protocol MetricsBackend: Sendable {
    func increment(_ name: String, _ dimensions: [(String, String)])
    func record(_ name: String, _ duration: Duration, _ dimensions: [(String, String)])
}

struct CallMetrics<Backend: MetricsBackend>: Listener {
    let backend: Backend

    func notify(_ event: CallEvent) {
        switch event {
        case .finished(let response): count(response.call, response.error)
        case .exchanged(let attempt, let response): record(attempt.call, response.metrics)
        default: break
        }
    }

    private func count(_ call: Call, _ error: APIClientError?) {
        let dimensions = [
            ("channel", call.channel.name), ("endpoint", call.endpoint), ("outcome", error?.label ?? "success"),
        ]
        backend.increment("calls", dimensions)
        backend.record("call_duration", call.started.duration(to: .now), dimensions)
    }

    private func record(_ call: Call, _ metrics: ExchangeMetrics?) {
        guard let metrics else { return }
        let dimensions = [("channel", call.channel.name)]
        backend.record("queue_duration", metrics.queued, dimensions)
        if let tls = metrics.tls { backend.record("tls_duration", tls, dimensions) }
        if let firstByte = metrics.firstByte { backend.record("first_byte_duration", firstByte, dimensions) }
    }
}

/// What swift-distributed-tracing's `Tracer` and `Instrument` do.
protocol SpanTracer: Sendable {
    associatedtype Span: Sendable
    func start(_ name: String) -> Span
    /// The fields that the tracer injects, such as `traceparent` (W3C Trace Context §3.2).
    func fields(of span: Span) -> [String: String]
    func end(_ span: Span, status: Int?, error: APIClientError?)
}

/// One span for each request that is sent, redirects and further attempts included.
struct TracingMiddleware<Tracer: SpanTracer>: Middleware {
    let tracer: Tracer

    func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
        let span = tracer.start(attempt.call.endpoint)
        let response: RawResponse
        do {
            response = await next(
                try attempt.with { request in
                    for (name, value) in tracer.fields(of: span) { try request.setHeader(name, value) }
                })
        } catch {
            response = attempt.failed(error, stage: APIClientError.adapting)
        }
        tracer.end(span, status: response.status, error: response.failure)
        return response
    }
}
