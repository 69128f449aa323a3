/// Asked about an error that no interceptor resolved: another attempt, another error, or nothing.
///
/// Use a handler for what depends on the *kind of failure*, decoding errors and the app's own errors included; use an
/// interceptor's `retry` for credentials and policies. Called once per failed attempt, async, on the pipeline's thread; it cannot
/// throw.
public protocol ErrorHandler: Sendable {
    /// Whether ``resolve(_:for:)`` should be asked about this error.
    func canResolve(_ error: APIClientError) -> Bool

    /// What to do about it: another attempt, another error, or a value in its place. The channel's limit on attempts holds
    /// whatever this returns.
    func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult
}

/// Leaves every error as it is.
public struct NoErrorHandler: ErrorHandler {
    public init() {}
    public func canResolve(_ error: APIClientError) -> Bool { false }
    public func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult { .doNotRetry }
}

/// The first of several handlers that can resolve an error is asked.
public struct CompositeErrorHandler: ErrorHandler {
    private let handlers: [any ErrorHandler]

    public init(_ handlers: [any ErrorHandler]) {
        self.handlers = handlers
    }

    public init(_ handlers: any ErrorHandler...) {
        self.init(handlers)
    }

    public func canResolve(_ error: APIClientError) -> Bool {
        handlers.contains { $0.canResolve(error) }
    }

    public func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult {
        guard let handler = handlers.first(where: { $0.canResolve(error) }) else { return .doNotRetry }
        return await handler.resolve(error, for: response)
    }
}
