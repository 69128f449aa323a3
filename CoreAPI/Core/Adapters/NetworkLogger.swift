/// A ``Listener`` that writes: `channel.logger`.
public protocol NetworkLogger: Listener {
    /// Receives an event, as ``Listener/notify(_:)``.
    func log(_ event: CallEvent)
}

extension NetworkLogger {
    public func notify(_ event: CallEvent) { log(event) }
}

/// Passes every event to a function, as a ``Listener`` without a type of its own: metrics, tracing, a test's own record.
///
/// ```swift
/// channel.logger = FunctionLogger { event in
///     if case .finished(let response) = event { count(response.error?.label ?? "success") }
/// }
/// ```
public struct FunctionLogger: NetworkLogger {
    private let function: @Sendable (CallEvent) -> Void

    /// Logs by a function, called as ``Listener/notify(_:)`` is.
    public init(_ function: @escaping @Sendable (CallEvent) -> Void) { self.function = function }

    public func log(_ event: CallEvent) { function(event) }
}
