import CoreAPI

/// Answers every later attempt with the first reply.
actor Keeper: Middleware {
    private var kept: Reply?

    func handle(_ attempt: Attempt, next: Next) async -> Reply {
        if let kept { return kept }
        let reply = await next(attempt)
        kept = reply
        return reply
    }
}
