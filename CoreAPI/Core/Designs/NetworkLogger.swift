public import CoreAPITrust

/// Receives the events of calls. For further events see ``Listener``.
///
/// Called synchronously, in Swift's thread pool, several times per call, and concurrently for different calls: a listener must be
/// quick and must not block. It cannot throw and cannot change anything.
public protocol NetworkLogger: Sendable {
    /// Receives an event, in Swift's thread pool.
    func log(_ event: NetworkEvent)
}

/// The events of a call. Every event carries its call and so the call's id.
public enum NetworkEvent: Sendable {
    /// An attempt leaves, adapted and complete.
    case sending(Request)
    /// An attempt failed and another will be made after the pause.
    case retrying(Response<Void>, after: Duration)
    /// A verified server presented keys that differ from its pins. The request was rejected, or continued if pins only report.
    /// Reported before the attempt's outcome.
    case pinMismatch(PinSet.Mismatch, Request)
    /// A setting that works today and may fail one day, see ``Channel/warnings``; or a cookie that was rejected.
    case warning(String, Request)
    /// The call has its final result: every attempt was made, and the response is decoded or the error is known.
    case finished(Response<Void>)
    /// The result handler threw; the caller still gets the result. Reported before ``finished(_:)``.
    case resultHandlerFailed(any Error, Response<Void>)
}

/// Passes every event to a function: metrics, tracing, a test's own record.
///
/// ```swift
/// channel.logger = FunctionLogger { event in
///     if case .finished(let response) = event { count(response.error?.label ?? "success") }
/// }
/// ```
public struct FunctionLogger: NetworkLogger {
    private let function: @Sendable (NetworkEvent) -> Void

    /// Logs by a function.
    ///
    /// - Parameter function: called as ``NetworkLogger/log(_:)`` is.
    public init(_ function: @escaping @Sendable (NetworkEvent) -> Void) {
        self.function = function
    }

    public func log(_ event: NetworkEvent) { function(event) }
}

/// Passes the events that a ``NetworkLogger`` knows to it.
struct LoggerListener: Listener {
    let logger: any NetworkLogger

    func started(_ event: CallEvent.Started) { logger.log(.sending(event.attempt.request)) }
    func retrying(_ event: CallEvent.Retrying) { logger.log(.retrying(event.response, after: event.delay)) }
    func pinMismatch(_ event: CallEvent.Mismatched) { logger.log(.pinMismatch(event.mismatch, event.attempt.request)) }
    func warning(_ event: CallEvent.Warning) { logger.log(.warning(event.text, event.attempt.request)) }
    func finished(_ event: CallEvent.Finished) { logger.log(.finished(event.response)) }
    func resultHandlerFailed(_ event: CallEvent.ResultHandlerFailed) {
        logger.log(.resultHandlerFailed(event.error, event.response))
    }
}
