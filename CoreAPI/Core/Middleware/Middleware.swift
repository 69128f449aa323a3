/// Wraps a call or an attempt. It may change the request, call `next` any number of times, and change the response.
///
/// The general hook. The older hooks run at stages of their own, which ``Channel/stages`` lists. Around the call
/// (``Channel/callMiddleware``) it sees the call once, for caches and single flight. Around the attempt
/// (``Channel/attemptMiddleware``) it sees every request that is sent, including those of redirects, for signatures,
/// credentials and breakers.
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
/// ``RequestSigning`` is that one ready-made, for the environment's origin and others that you name.
///
/// Called off every actor, concurrently for different calls. It may call `next` never, once or several times, in sequence or
/// concurrently.
public protocol Middleware: Sendable {
    /// Handles an attempt, usually by passing it on.
    ///
    /// - Parameters:
    ///   - attempt: the attempt to send; around the call, its first attempt.
    ///   - next: the stages after this one.
    /// - Returns: the response of ``Next``, or another one. A failure is a response, too: ``Attempt/failed(_:stage:)``.
    func handle(_ attempt: Attempt, next: Next) async -> RawResponse

    /// The name in ``Channel/stages``. Default the type's.
    var stage: String { get }

    /// A copy that shares no state with this one; a channel that a test replaces uses copies. The default returns the middleware
    /// itself, which is right without state.
    func isolatedCopy() -> any Middleware
}

extension Middleware {
    public var stage: String { "\(type(of: self))" }
    public func isolatedCopy() -> any Middleware { self }
}
