/// Wraps a call or an attempt: the general hook. It may change request and response, and call `next` any number of times.
///
/// Around the call (``Channel/callMiddleware``) it sees the call once, for caches and single flight. Around the attempt
/// (``Channel/attemptMiddleware``) it sees every request that is sent, including those of redirects, for signatures, credentials
/// and breakers. The older hooks run at stages of their own, which ``Channel/stages`` lists.
///
/// ```swift
/// struct Signing: Middleware {
///     func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
///         do {
///             return await next(try attempt.with { try $0.setHeader("X-Signature", signature(of: $0)) })
///         } catch {
///             return attempt.failed(error, stage: APIClientError.adapting)
///         }
///     }
/// }
/// ```
///
/// ``RequestSigning`` is that one ready-made. Called off every actor, concurrently for different calls.
public protocol Middleware: Sendable {
    /// Handles an attempt, around the call its first one, usually by passing it on to the stages after this one. Returns the
    /// response of ``Next``, or another one; a failure is a response, too: ``Attempt/failed(_:stage:)``.
    func handle(_ attempt: Attempt, next: Next) async -> RawResponse

    /// The name in ``Channel/stages``. Default the type's.
    var stage: String { get }

    /// A copy that shares no state with this one, for tests and ``Channel/at(_:credentials:)``. Default the middleware itself.
    func isolatedCopy() -> any Middleware
}

extension Middleware {
    public var stage: String { "\(type(of: self))" }
    public func isolatedCopy() -> any Middleware { self }
}
