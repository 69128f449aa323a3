// The ways to send a call, each once, through any dispatcher. Every form is a line over `response(for:as:)`, which a dispatcher
// implements; CoreAPIReactive adds the publisher. `as:` selects the value of the answer: `.data`, `.text`, `.json`, `.nothing`,
// `.decodable(T.self)`, or the value under a path of keys, `.decodable([Item].self, at: "data.items")`.

extension Dispatcher {
    /// Sends a request and returns its value: `request(.delete("orders/\(segment: id)"))`, `request(.get("motd"), as: .text)`.
    ///
    /// - Parameters:
    ///   - endpoint: the request.
    ///   - decoding: how the answer becomes the value. Default ``ResponseDecoding/nothing``.
    /// - Throws: ``APIClientError``, by the stage that failed; `.cancelled` if the task was cancelled.
    public func request<Value: Sendable>(
        _ endpoint: some Endpoint, as decoding: ResponseDecoding<Value> = .nothing
    ) async throws(APIClientError) -> Value {
        try await response(for: endpoint, as: decoding).value
    }

    /// As `request(_:as:)`, for a decodable value: `request(.get("orders/\(segment: id)"), as: Order.self)`.
    public func request<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint, as type: Value.Type
    ) async throws(APIClientError) -> Value {
        try await response(for: endpoint, as: .decodable(type)).value
    }

    /// As `request(_:as:)`, for an endpoint that knows its answer: `request(OrderEndpoints.all)`.
    public func request<Output>(_ endpoint: some AnsweredEndpoint<Output>) async throws(APIClientError) -> Output {
        try await response(for: endpoint, as: endpoint.decoding).value
    }

    /// As `request(_:)`, for a typed endpoint and its input: `request(OrderEndpoints.place, order)`.
    public func request<Method, Input, Output>(
        _ endpoint: TypedEndpoint<Method, Input, Output>, _ input: Input
    ) async throws(APIClientError) -> Output {
        try await response(for: endpoint(input), as: endpoint.decoding).value
    }

    /// Sends a request and returns the whole response: head, body, metrics, attempts and result. Does not throw, so that a
    /// failure keeps everything.
    public func response<Output>(for endpoint: some AnsweredEndpoint<Output>) async -> Response<Output> {
        await response(for: endpoint, as: endpoint.decoding)
    }

    /// Sends a request and calls back with the whole response, exactly once, after a cancellation too. It calls back once more
    /// for each attempt made by hand, see ``Request/retry(max:delay:failCallback:)``.
    ///
    /// - Parameters:
    ///   - endpoint: the request.
    ///   - decoding: how the answer becomes the value.
    ///   - queue: where a completion runs that was not written on an actor; `nil` for ``Dispatcher/callbackQueue``.
    ///   - completion: receives the response. Written on an actor, such as the main one, it runs there.
    /// - Returns: a handle to cancel with; need not be kept.
    @discardableResult
    public func response<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>, queue: CallbackQueue? = nil,
        // Lets a closure written on an actor stay on it, as `Task.init` does.
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Response<Value>) -> Void
    ) -> Cancellable {
        CompletionCall(queue: queue ?? callbackQueue) { await completion($0) }.start {
            await self.response(for: endpoint, as: decoding)
        }
    }

    /// As ``response(for:as:queue:completion:)``, for an endpoint that knows its answer.
    @discardableResult
    public func response<Output>(
        for endpoint: some AnsweredEndpoint<Output>,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Response<Output>) -> Void
    ) -> Cancellable {
        response(for: endpoint, as: endpoint.decoding, completion: completion)
    }

    /// Runs a call and returns its response as soon as the head has arrived; the body follows. See ``Body`` and
    /// ``ResponseDecoding/stream``.
    ///
    /// ```swift
    /// let response = await manager.stream(.get("exports/\(segment: id)"))
    /// for try await chunk in try response.value { file.write(chunk) }
    /// ```
    ///
    /// ``Timeout/total`` applies until the head arrives, ``Timeout/idle`` while the reader waits for the peer. Leaving the loop
    /// ends the transfer. An answer with a refused status is collected and fails the call, as without streaming.
    public func stream(_ endpoint: some Endpoint) async -> Response<Body> {
        await response(for: endpoint, as: .stream)
    }

    /// A call as the sequence of its attempts: one response per attempt, as soon as it is known. The last one is the call's.
    ///
    /// ```swift
    /// for await response in dispatcher.attempts(for: OrderEndpoint.list, as: .decodable(OrderList.self)) {
    ///     show(response.error.map { "attempt \(response.attempts.count): \($0)" } ?? "done")
    /// }
    /// ```
    ///
    /// Every iteration is a separate call. It begins with the iteration, and is cancelled when the loop is left or its task is
    /// cancelled.
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
