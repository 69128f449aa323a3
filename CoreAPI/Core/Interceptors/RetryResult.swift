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
}
