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
        Cancellable(
            Task {
                let result = await response(for: endpoint, as: type).result
                // Only the completion prefers the queue; the call itself must not run on it.
                await withTaskExecutorPreference(callbackQueue.executor) { await completion(result) }
            })
    }
}
