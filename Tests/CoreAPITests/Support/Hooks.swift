import TestSupport

/// Middleware from a function.
struct Around: Middleware {
    let run: @Sendable (Attempt, Next) async -> RawResponse
    init(_ run: @escaping @Sendable (Attempt, Next) async -> RawResponse) { self.run = run }
    func handle(_ attempt: Attempt, next: Next) async -> RawResponse { await run(attempt, next) }
}

/// An interceptor that changes requests by a function.
struct Adapting: RequestInterceptor {
    let change: @Sendable (inout Request) async throws -> Void
    init(_ change: @escaping @Sendable (inout Request) async throws -> Void) { self.change = change }
    func adapt(_ request: inout Request) async throws { try await change(&request) }
}

/// An enhancer that changes responses by a function.
struct Deenhancing: RequestEnhancer {
    let change: @Sendable (inout Response<Data>) throws -> Void
    init(_ change: @escaping @Sendable (inout Response<Data>) throws -> Void) { self.change = change }
    func deenhance(_ response: inout Response<Data>) throws { try change(&response) }
}

/// A handler that resolves every error by a function.
struct Resolving: ErrorHandler {
    let decide: @Sendable () -> RetryResult
    init(_ decide: @escaping @Sendable () -> RetryResult) { self.decide = decide }
    func canResolve(_ error: APIClientError) -> Bool { true }
    func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult { decide() }
}

struct Hearing: Listener {
    let hear: @Sendable (CallEvent) -> Void
    init(_ hear: @escaping @Sendable (CallEvent) -> Void) { self.hear = hear }
    func notify(_ event: CallEvent) { hear(event) }
}
