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

    /// Aborts the transfer; the completion receives ``APIClientError/cancelled(_:)`` unless the result was already being
    /// delivered.
    public func cancel() {
        onCancel()
    }
}

extension Cancellable {
    /// Begins a call that ends in a completion. Cancelling the handle cancels the call.
    ///
    /// - Parameters:
    ///   - queue: where the completion runs. The call itself does not run there.
    ///   - completion: runs exactly once.
    init<Value>(
        to completion: @escaping @Sendable (Response<Value>) async -> Void, on queue: CallbackQueue,
        _ call: @escaping @Sendable () async -> Response<Value>
    ) {
        let task = Task {
            let response = await call()
            await queue.run { await completion(response) }
        }
        self.init { task.cancel() }
    }
}
