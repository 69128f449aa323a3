/// Decides about an error that no interceptor resolved: another attempt, another error, or no change.
///
/// Use a handler for decisions by *kind of failure*, decoding errors and the app's own errors included. Use an interceptor's
/// `retry` for credentials and policies. Called once per failed attempt, async, in Swift's thread pool; it cannot throw.
public protocol ErrorHandler: Stage.Hook {
    /// Whether ``resolve(_:for:)`` should decide about this error.
    func canResolve(_ error: APIClientError) -> Bool

    /// The decision: another attempt, another error, or a value instead. The channel's limit on attempts applies whatever this
    /// returns.
    func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult
}

/// The first of several handlers that can resolve an error is asked. Without a handler it leaves every error unchanged.
public struct CompositeErrorHandler: ErrorHandler {
    private let handlers: [any ErrorHandler]

    /// Asks the handlers in this order.
    public init(_ handlers: [any ErrorHandler]) {
        self.handlers = handlers
    }

    /// Asks the handlers in this order.
    public init(_ handlers: any ErrorHandler...) {
        self.init(handlers)
    }

    public var stages: Set<Stage.Kind> { handlers.reduce(into: []) { $0.formUnion($1.stages) } }

    public func canResolve(_ error: APIClientError) -> Bool {
        handlers.contains { $0.canResolve(error) }
    }

    public func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult {
        guard let handler = handlers.first(where: { $0.canResolve(error) }) else { return .doNotRetry }
        return await handler.resolve(error, for: response)
    }
}
