internal import CoreAPIHTTP

extension Response {
    /// Asks the channel's interceptors and error handler about a streamed body that broke off, as about a failed attempt.
    ///
    /// - Parameters:
    ///   - error: the reason.
    ///   - earlier: the outcomes of earlier requests for the same body.
    /// - Returns: the delay before the next request, and the outcomes with this one; `nil` if no request may follow: the hooks
    ///   want none, the limit on attempts is reached, or the delay is as long as the next request may take in all.
    package func retryDelay(
        afterBodyBrokeBy error: APIClientError, earlier: [Attempt.Outcome]
    ) async -> (Duration, [Attempt.Outcome])? {
        guard !error.isCancelled, let attempt = raw.attempt else { return nil }
        let broken = raw.copy(
            attempt: .some(attempt.next(after: earlier, delay: .zero)), failure: .some(error), reading: .failed(error))
        let outcomes = broken.attempts
        guard attempt.request.body.isReplayable, outcomes.count < call.channel.limits.attempts else { return nil }
        switch await Pipeline.retryDecision(Response<Void>(broken), error) {
        case .retry: return (.zero, outcomes)
        case .retryAfter(let delay): return delay < attempt.request.timeout.total ? (delay.asPause, outcomes) : nil
        case .doNotRetry, .fail, .succeed: return nil
        }
    }
}
