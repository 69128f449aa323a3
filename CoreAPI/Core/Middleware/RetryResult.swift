public import Foundation

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
    /// No further attempt, and this value instead of the failure. It must have the type of the call's value; another type fails
    /// the call with ``RetryResult/Mismatch``.
    case succeed(any Sendable)
}

extension RetryResult {
    /// An error handler or interceptor supplied a value of the wrong type.
    public struct Mismatch: Error, Sendable, Hashable {
        /// The type of the call's value.
        public let expected: String
        /// The type of the supplied value.
        public let found: String
    }
}

extension RetryResult.Mismatch: LocalizedError {
    public var errorDescription: String? { "expected a value of \(expected) from the error handler, got one of \(found)" }
}
