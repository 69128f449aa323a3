import TestSupport

/// Answers every later attempt with the first reply.
actor Keeper: Middleware {
    private var kept: RawResponse?

    func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
        if let kept { return kept }
        let reply = await next(attempt)
        kept = reply
        return reply
    }
}
