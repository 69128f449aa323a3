/// Changes each attempt before it is sent, and decides whether a failed attempt is retried.
///
/// Use an interceptor for changes that take time or differ between attempts: a credential, a retry. Use a ``RequestEnhancer`` for
/// changes that are the same for the whole call and need no waiting. Use a ``Middleware`` for signatures and refreshed tokens:
/// `adapt` runs before redirects, so it does not see a redirect's request.
///
/// Called on any thread, concurrently for different calls. An interceptor that waits must bound its waiting, for example by
/// ``Request/deadline``: the call's timeouts cannot stop it.
public protocol RequestInterceptor: Stage.Hook {
    /// Changes the attempt; the request arrives without the changes of earlier attempts. An error that it throws fails the
    /// attempt with ``APIClientError/adapting(_:_:)``. The kit's own errors keep their stage.
    func adapt(_ request: inout Request) async throws

    /// Called after a failed attempt, with the whole response. An error that it throws is the call's.
    func retry(_ response: Response<Void>, dueTo error: APIClientError) async throws -> RetryResult

    /// A copy that shares no state with this one, for tests and ``Channel/at(_:credentials:)``. Default the interceptor itself.
    func isolatedCopy() -> any RequestInterceptor
}

extension RequestInterceptor {
    public func adapt(_ request: inout Request) async throws {}
    public func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult { .doNotRetry }
    public func isolatedCopy() -> any RequestInterceptor { self }
}
