/// Changes each attempt before it is sent, and says whether a failed one is worth another.
///
/// Use an interceptor for what takes time or may change between attempts: a credential, a retry. Use a ``RequestEnhancer`` for
/// what is the same for the whole call and needs no waiting, and a ``Middleware`` for signatures and for tokens that are
/// refreshed: `adapt` runs once per attempt, before redirects, so that it does not sign again what a redirect leads to. Called
/// on any thread, concurrently for different calls. An interceptor that waits must bound its waiting, by ``Request/deadline`` for
/// instance: the call's timeouts cannot stop code that does not look.
public protocol RequestInterceptor: Sendable, RequestInterceptorSpellings {
    /// Changes the attempt; the request arrives without what earlier attempts changed. Throwing fails the attempt with
    /// ``APIClientError/adapting(_:_:)``, or at the stage of the error itself if it is one of the kit's.
    func adapt(_ request: inout Request) async throws

    /// Asked after a failed attempt, with all that came. What it throws is the call's error, as ``RetryResult/fail(_:)``.
    func retry(_ response: Response<Void>, dueTo error: APIClientError) async throws -> RetryResult

    /// A copy that shares no state with this one; a channel that is swapped in a test speaks through copies. The default returns
    /// the interceptor itself, which is right for one that keeps nothing.
    func isolatedCopy() -> any RequestInterceptor
}

extension RequestInterceptor {
    public func adapt(_ request: inout Request) async throws {}
    public func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult { .doNotRetry }
    public func isolatedCopy() -> any RequestInterceptor { self }
}
