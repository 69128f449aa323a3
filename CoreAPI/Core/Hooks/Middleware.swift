/// Stands around a call or around each of its attempts: it sees what goes down, decides whether and how often that goes on, and
/// sees what comes back.
///
/// The general hook; every other one is a shorthand for what a middleware can do. Around the call
/// (``Channel/callMiddleware``) it sees the call once, for caches, single flight and breakers. Around the attempt
/// (``Channel/attemptMiddleware``) it sees what is sent, each redirect's request too, for signatures and credentials.
///
/// ```swift
/// struct Signing: Middleware {
///     func handle(_ attempt: Attempt, next: Next) async -> Reply {
///         do {
///             return await next(try attempt.with { try $0.setHeader("X-Signature", signature(of: $0)) })
///         } catch {
///             return attempt.failed(error, stage: APIClientError.adapting)
///         }
///     }
/// }
/// ```
///
/// Called off every actor, concurrently for different calls. It may call `next` never, once or often, one after the other or at
/// once.
public protocol Middleware: Sendable {
    /// - Parameters:
    ///   - attempt: what is about to be sent; around the call, its first attempt.
    ///   - next: the rest of the way.
    /// - Returns: what ``Next`` returned, or a reply of its own. A failure is a reply, too: ``Attempt/failed(_:stage:)``.
    func handle(_ attempt: Attempt, next: Next) async -> Reply

    /// The name in ``Channel/stages``. Default the type's.
    var stage: String { get }

    /// A copy that shares no state with this one; a channel that is swapped in a test speaks through copies. Default the
    /// middleware itself, which is right for one that keeps nothing.
    func isolatedCopy() -> any Middleware
}

extension Middleware {
    public var stage: String { "\(type(of: self))" }
    public func isolatedCopy() -> any Middleware { self }
}
