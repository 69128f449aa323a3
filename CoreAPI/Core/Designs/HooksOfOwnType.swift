public import Foundation

/// Finds errors inside successes and turns failures into the app's own error. Conform your own type, and set `channel.errorFilter
/// = ErrorFilter(ShopErrors())`. ``ErrorFilter`` also makes filters of closures.
///
/// ```swift
/// struct ShopErrors: ErrorFiltering {
///     func filter(_ response: inout Response<Data>) throws {
///         if response.head?.status == .conflict { throw SoldOut() }
///         if response.head?.status == .notFound { response.result = .success(Data("[]".utf8)) }
///     }
///     func translate(_ error: APIClientError) -> (any Error)? { nil }
/// }
/// ```
///
/// Both methods run synchronously, in Swift's thread pool, never on the main actor.
public protocol ErrorFiltering: Sendable {
    /// Sees every response, verified or not, once per attempt before decoding. Of a streamed response it sees the head, and later
    /// the bytes of a line, a value or an event that its reader cannot read.
    ///
    /// An error that it throws becomes the call's error, ``APIClientError/app(_:_:)``. It may also turn a failure into a success,
    /// by setting ``Response/result`` to the bytes to decode.
    func filter(_ response: inout Response<Data>) throws

    /// Sees, once per call, the error that remains after interceptors and handlers, whatever its stage. It does not see the app's
    /// own errors and cancellations.
    ///
    /// - Returns: the error to use instead, or `nil` for no change.
    func translate(_ error: APIClientError) -> (any Error)?
}

/// A side effect at the end of a call, by your own type: `channel.resultHandler = ResultHandler(SignOut())`.
public protocol ResultHandling: Sendable {
    /// Called last, in Swift's thread pool, once per call and once per attempt made manually; the caller waits for it. It sees
    /// the final outcome and cannot change it. An error that it throws is reported to the channel's logger and
    /// listeners; the caller's result stays.
    func handle(_ response: Response<Void>) async throws
}
