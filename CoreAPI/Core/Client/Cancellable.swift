/// Stops a call. Cancelling twice, or after the end, does nothing.
///
/// ```swift
/// let both = Cancellable([manager.request(endpoint: .orders, type: [Order].self, completion: show), timer])
/// ```
public struct Cancellable: Sendable {
    private let onCancel: @Sendable () -> Void

    /// Makes a handle from a function that cancels.
    ///
    /// - Parameter onCancel: called on each ``cancel()``, on its caller's thread.
    public init(_ onCancel: @escaping @Sendable () -> Void = {}) {
        self.onCancel = onCancel
    }

    /// Several in one.
    public init(_ parts: [Cancellable]) {
        self.init { for part in parts { part.cancel() } }
    }

    /// Aborts the exchange; the completion receives ``APIClientError/cancelled(_:)`` unless the result was already being
    /// delivered. A retry manually has its own task, and does not end.
    public func cancel() {
        onCancel()
    }
}

extension CallbackQueue {
    /// Starts a call, and runs its completion here, exactly once. The call does not run here. The handle cancels the call.
    func start<Value>(
        _ call: @escaping @Sendable () async -> Response<Value>,
        then completion: @escaping @Sendable (Response<Value>) async -> Void
    ) -> Cancellable {
        let task = Task {
            let response = await call()
            await run { await completion(response) }
        }
        return Cancellable { task.cancel() }
    }
}
