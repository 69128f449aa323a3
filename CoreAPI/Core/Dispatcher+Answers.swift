extension Dispatcher {
    /// Runs a call and returns its value: `.data`, `.text`, `.json`, `.nothing`, `.decodable(T.self)` or what lies under a path of keys,
    /// `.decodable([Item].self, at: "data.items")`.
    ///
    /// - Throws: ``APIClientError``, by the stage that failed.
    public func value<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>
    ) async throws(APIClientError) -> Value {
        try await response(for: endpoint, as: decoding).value
    }

    /// Runs a call and calls back with the whole response, exactly once, after a cancellation too; and once more for each attempt that
    /// is made by hand, see ``Request/retry(max:delay:failCallback:)``.
    ///
    /// - Parameters:
    ///   - endpoint: what to ask for.
    ///   - decoding: how the answer becomes the value.
    ///   - queue: where a completion runs that was not written on an actor; `nil` for ``Dispatcher/callbackQueue``.
    ///   - completion: written on an actor, the main one for instance, it runs there.
    /// - Returns: a handle to cancel with; need not be kept.
    @discardableResult
    public func response<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>, queue: CallbackQueue? = nil,
        // Lets a closure that is written on an actor stay on it, as `Task.init` does.
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Response<Value>) -> Void
    ) -> Cancellable {
        CompletionCall(queue: queue ?? callbackQueue) { await completion($0) }.start {
            await self.response(for: endpoint, as: decoding)
        }
    }
}

/// Stops a call. Cancelling twice, or after the end, does nothing.
///
/// ```swift
/// let both = Cancellable([manager.request(endpoint: .orders, type: [Order].self, completion: show), timer])
/// ```
public struct Cancellable: Sendable {
    private let onCancel: @Sendable () -> Void

    /// - Parameter onCancel: called each time ``cancel()`` is, on its caller's thread.
    public init(_ onCancel: @escaping @Sendable () -> Void = {}) {
        self.onCancel = onCancel
    }

    /// Several in one.
    public init(_ parts: [Cancellable]) {
        self.init { for part in parts { part.cancel() } }
    }

    /// Aborts the transfer; the completion hears ``APIClientError/cancelled(_:)`` unless the result was on its way already.
    public func cancel() {
        onCancel()
    }
}
