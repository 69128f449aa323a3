public import Foundation

/// What an interceptor or an error handler wants after a failed attempt.
public enum RetryResult: Sendable {
    /// Another attempt at once.
    case retry
    /// Another attempt after a pause. The call's total timeout still holds: when the pause would pass it, the call fails at once.
    case retryAfter(Duration)
    /// Nothing; the next one is asked.
    case doNotRetry
    /// No further attempt, and this error instead.
    case fail(any Error)
    /// No further attempt, and this value in the place of the failure. It must be of the type that the call asked for; another
    /// one fails the call with ``ResolutionMismatch``.
    case succeed(any Sendable)
}

/// An error handler or interceptor gave a value of another type than the call asked for.
public struct ResolutionMismatch: Error, Sendable, Hashable {
    /// The type that the call asked for.
    public let expected: String
    /// The type of the value that was given.
    public let found: String
}

extension ResolutionMismatch: LocalizedError {
    public var errorDescription: String? { "expected a value of \(expected) from the error handler, got one of \(found)" }
}
