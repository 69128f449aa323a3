// The ways to send a call, each once: await the value, await the response, the same two with a completion, and follow the
// attempts. CoreAPIReactive adds the publisher. They take an endpoint that knows its answer, through whatever dispatches calls.

extension Dispatcher {
    /// Sends a request and returns its decoded answer.
    ///
    /// - Throws: ``APIClientError``, by the stage that failed; `.cancelled` when the task was.
    public func request<Output>(_ endpoint: some AnsweredEndpoint<Output>) async throws(APIClientError) -> Output {
        try await response(for: endpoint, as: endpoint.decoding).value
    }

    /// Sends a request and returns all there is to know: head, body, metrics, attempts and the result together. Does not throw,
    /// so that a failure loses nothing.
    public func response<Output>(for endpoint: some AnsweredEndpoint<Output>) async -> Response<Output> {
        await response(for: endpoint, as: endpoint.decoding)
    }

    /// Sends a request and calls back with its result; see ``response(for:as:queue:completion:)``.
    @discardableResult
    public func request<Output>(
        _ endpoint: some AnsweredEndpoint<Output>, queue: CallbackQueue? = nil,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<Output, APIClientError>) -> Void
    ) -> Cancellable {
        request(endpoint, as: endpoint.decoding, queue: queue, completion: completion)
    }

    /// Sends a request and calls back with the response; see ``response(for:as:queue:completion:)``.
    @discardableResult
    public func response<Output>(
        for endpoint: some AnsweredEndpoint<Output>, queue: CallbackQueue? = nil,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Response<Output>) -> Void
    ) -> Cancellable {
        response(for: endpoint, as: endpoint.decoding, queue: queue, completion: completion)
    }

    /// A call as the sequence of its attempts; see ``attempts(for:as:)``.
    public func attempts<Output>(for endpoint: some AnsweredEndpoint<Output>) -> CallAttempts<Output> {
        attempts(for: endpoint, as: endpoint.decoding)
    }
}

extension Dispatcher {
    /// Sends the request of an endpoint that takes a value: `request(OrderEndpoints.place(order))` in two arguments.
    public func request<Method, Input, Output>(
        _ endpoint: TypedEndpoint<Method, Input, Output>, _ input: Input
    ) async throws(APIClientError) -> Output {
        try await response(for: endpoint(input), as: endpoint.decoding).value
    }

    /// Sends a one-off request and decodes its answer: `request(.get("orders/\(segment: id)"), as: Order.self)`.
    ///
    /// - Throws: ``APIClientError``, by the stage that failed; `.cancelled` when the task was.
    public func request<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint, as type: Value.Type
    ) async throws(APIClientError) -> Value {
        try await response(for: endpoint, as: .decodable(type)).value
    }

    /// Sends a one-off request whose answer is of no interest beyond its success: `request(.delete("orders/\(segment: id)"))`.
    public func request(_ endpoint: some Endpoint) async throws(APIClientError) {
        try await response(for: endpoint, as: .nothing).value
    }
}

// The same for an endpoint that leaves its answer to the caller: `.data`, `.text`, `.json`, `.nothing`, `.decodable(T.self)`, or
// the value under a path of keys, `.decodable([Item].self, at: "data.items")`.

extension Dispatcher {
    /// Runs a call and returns its value.
    ///
    /// - Throws: ``APIClientError``, by the stage that failed.
    public func value<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>
    ) async throws(APIClientError) -> Value {
        try await response(for: endpoint, as: decoding).value
    }

    /// Runs a call and calls back with the whole response, exactly once, after a cancellation too; and once more for each attempt
    /// that is made by hand, see ``Request/retry(max:delay:failCallback:)``.
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

    /// As ``response(for:as:queue:completion:)``, for a completion that is told the result only.
    func request<Value: Sendable>(
        _ endpoint: any Endpoint, as decoding: ResponseDecoding<Value>, queue: CallbackQueue? = nil,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<Value, APIClientError>) -> Void
    ) -> Cancellable {
        CompletionCall(queue: queue ?? callbackQueue) { await completion($0.result) }.start {
            await self.response(for: endpoint, as: decoding)
        }
    }

    /// Runs a call and returns its response with the head there and the body still to come; see ``Body`` and
    /// ``ResponseDecoding/stream``.
    ///
    /// ```swift
    /// let response = await manager.stream(.get("exports/\(segment: id)"))
    /// for try await chunk in try response.value { file.write(chunk) }
    /// ```
    ///
    /// ``Timeout/total`` counts until the head is there, and ``Timeout/idle`` while the peer keeps the reader waiting. Leaving
    /// the loop ends the transfer. An answer whose status is refused is collected and fails the call as ever.
    public func stream(_ endpoint: some Endpoint) async -> Response<Body> {
        await response(for: endpoint, as: .stream)
    }

    /// A call as the sequence of its attempts: a response after each, as soon as it is known, the last one being the call's.
    ///
    /// ```swift
    /// for await response in dispatcher.attempts(for: OrderEndpoint.list, as: .decodable(OrderList.self)) {
    ///     show(response.error.map { "attempt \(response.attempts.count): \($0)" } ?? "done")
    /// }
    /// ```
    ///
    /// Every iteration is a call of its own; it begins with the iteration and is cancelled when the iteration is left or its task
    /// is.
    public func attempts<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>
    ) -> CallAttempts<Value> {
        CallAttempts { observer in await self.response(for: endpoint.attaching(observer), as: decoding) }
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
