public import Foundation

/// Decides about an error that no interceptor resolved: another attempt, another error, or no change.
///
/// Use a handler for decisions by *kind of failure*, decoding errors and the app's own errors included, and an interceptor's
/// `retry` for credentials and policies. Called once per failed attempt, async, in Swift's thread pool; it cannot throw.
public protocol ErrorHandler: Stage.Hook {
    /// Whether ``resolve(_:for:)`` should decide about this error.
    func canResolve(_ error: APIClientError) -> Bool

    /// The decision: another attempt, another error, or a value instead. The channel's limit on attempts applies all the same.
    func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult
}

/// The first of several handlers that can resolve an error is asked. Without a handler it leaves every error unchanged.
public struct CompositeErrorHandler: ErrorHandler {
    private let handlers: [any ErrorHandler]

    /// Asks the handlers in this order.
    public init(_ handlers: [any ErrorHandler]) { self.handlers = handlers }
    /// Asks the handlers in this order.
    public init(_ handlers: any ErrorHandler...) { self.init(handlers) }

    public var stages: Set<Stage.Kind> { handlers.reduce(into: []) { $0.formUnion($1.stages) } }
    public func canResolve(_ error: APIClientError) -> Bool { handlers.contains { $0.canResolve(error) } }

    public func resolve(_ error: APIClientError, for response: Response<Void>) async -> RetryResult {
        guard let handler = handlers.first(where: { $0.canResolve(error) }) else { return .doNotRetry }
        return await handler.resolve(error, for: response)
    }
}

/// The decision of an interceptor or an error handler after a failed attempt.
public enum RetryResult: Sendable {
    /// Another attempt at once.
    case retry
    /// Another attempt after a pause. The call's total timeout applies: if the pause would exceed it, the call fails at once.
    case retryAfter(Duration)
    /// No decision; the next one is asked.
    case doNotRetry
    /// No further attempt, and this error instead.
    case fail(any Error)
    /// This value instead of the failure. One of another type fails the call with ``RetryResult/Mismatch``.
    case succeed(any Sendable)

    /// An error handler or interceptor supplied a value of the wrong type.
    public struct Mismatch: Error, Sendable, Hashable, LocalizedError {
        /// The type of the call's value.
        public let expected: String
        /// The type of the supplied value.
        public let found: String

        public var errorDescription: String? { "expected a value of \(expected) from the error handler, got one of \(found)" }
    }
}
