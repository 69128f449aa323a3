extension NetworkManager {
    /// Sends a request and calls back.
    ///
    /// The completion is called exactly once, after a cancellation too. Written on an actor, the main one for instance, it runs
    /// there; otherwise on the channel's ``Channel/callbackQueue``, the main queue by default.
    ///
    /// ```swift
    /// networkManager.request(endpoint: .orderList(path: path), type: DLOrderListResponse.self) { [weak self] result in
    ///     self?.output?.handleOrderListResponse(result)
    /// }
    /// ```
    ///
    /// - Returns: a handle to cancel with; need not be kept.
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        endpoint: EndpointItem, type: Value.Type,
        // Lets a closure that is written on an actor stay on it, as `Task.init` does.
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<Value, APIClientError>) -> Void
    ) -> Cancellable {
        // As below, but for a completion that hears only the result.
        CompletionCall(queue: callbackQueue) { response in await completion(response.result) }
            .start { await self.response(for: endpoint, as: type) }
    }

    /// Sends a request whose answer is of no interest beyond its success, and calls back as ``request(endpoint:type:completion:)`` does.
    @discardableResult
    public func request(
        endpoint: EndpointItem,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<Void, APIClientError>) -> Void
    ) -> Cancellable {
        CompletionCall(queue: callbackQueue) { response in await completion(response.result) }
            .start { await self.response(for: endpoint, decoding: .nothing) }
    }

    /// Sends a request and calls back with all there is to know; else as ``request(endpoint:type:completion:)``. What failed can be
    /// tried again by hand, see ``Request/retry(max:delay:failCallback:)``.
    @discardableResult
    public func response<Value: Decodable & Sendable>(
        for endpoint: EndpointItem, as type: Value.Type,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Response<Value>) -> Void
    ) -> Cancellable {
        response(for: endpoint, decoding: .decodable(type), completion: completion)
    }

    /// As ``response(for:as:completion:)``, with a decoding of the caller's own.
    @discardableResult
    public func response<Value: Sendable>(
        for endpoint: EndpointItem, decoding: ResponseDecoding<Value>,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Response<Value>) -> Void
    ) -> Cancellable {
        dispatcher.response(for: attached(endpoint), as: decoding, queue: callbackQueue, completion: completion)
    }
}
