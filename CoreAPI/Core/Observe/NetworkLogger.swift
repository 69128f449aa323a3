/// Listens to the life of calls; logging, metrics and tracing are all listeners.
///
/// Called synchronously, on the pipeline's thread, several times per call, and concurrently for different calls: a listener must
/// be quick and must not block. It cannot throw and cannot change anything.
public protocol NetworkLogger: Sendable {
    func log(_ event: NetworkEvent)
}

/// What happens in the life of a call, in this order. Every event carries its call and so the call's id.
public enum NetworkEvent: Sendable {
    /// An attempt leaves, adapted and complete.
    case sending(Request)
    /// An attempt failed and another will be made after the pause.
    case retrying(Response<Void>, after: Duration)
    /// A verified server answered with keys that are not pinned for it; the request was refused, or went on where pins only
    /// report.
    case pinMismatch(PinMismatch, Request)
    /// Something that works today and may not one day, see ``Channel/warnings``; or a cookie that was refused.
    case warning(String, Request)
    /// The call is settled: every attempt made, the answer decoded or the error known.
    case finished(Response<Void>)
    /// The result handler threw; the caller gets the result all the same.
    case resultHandlerFailed(any Error, Response<Void>)
}

/// Hands every event to a function: metrics, tracing, a test's own record.
///
/// ```swift
/// channel.logger = FunctionLogger { event in
///     if case .finished(let response) = event { count(response.error?.label ?? "success") }
/// }
/// ```
public struct FunctionLogger: NetworkLogger {
    private let function: @Sendable (NetworkEvent) -> Void

    /// - Parameter function: called as ``NetworkLogger/log(_:)`` is.
    public init(_ function: @escaping @Sendable (NetworkEvent) -> Void) {
        self.function = function
    }

    public func log(_ event: NetworkEvent) {
        function(event)
    }
}

/// Hears nothing.
public struct SilentLogger: NetworkLogger {
    public init() {}
    public func log(_ event: NetworkEvent) {}
}
