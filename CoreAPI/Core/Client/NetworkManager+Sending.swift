public import HTTPTypes

extension NetworkManager: Dispatcher {
    @concurrent
    public func response<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>
    ) async -> Response<Value> {
        await dispatcher.response(for: attached(endpoint), as: decoding)
    }
}

// The feature's own endpoints, by leading dot. Each is a line over the dispatcher's.

extension NetworkManager {
    /// Sends a request and decodes its answer.
    ///
    /// - Parameters:
    ///   - endpoint: the request.
    ///   - type: the type to decode the answer into; may be inferred.
    /// - Throws: ``APIClientError``, by the stage that failed; `.cancelled` if the task was cancelled.
    public func request<Value: Decodable & Sendable>(
        endpoint: EndpointItem, type: Value.Type = Value.self
    ) async throws(APIClientError) -> Value {
        try await response(for: endpoint, as: .decodable(type)).value
    }

    /// Sends a request and returns what `decoding` makes of its answer: by default `Void`.
    public func request<Value: Sendable>(
        endpoint: EndpointItem, as decoding: ResponseDecoding<Value> = .nothing
    ) async throws(APIClientError) -> Value {
        try await response(for: endpoint, as: decoding).value
    }

    /// Sends a request and calls back.
    ///
    /// The completion is called exactly once, after a cancellation too. A completion written on an actor, such as the main one,
    /// runs there. Any other runs on the channel's ``Channel/callbackQueue``, the main queue by default.
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
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<Value, APIClientError>) -> Void
    ) -> Cancellable {
        CompletionCall(queue: callbackQueue) { await completion($0.result) }.start {
            await self.response(for: endpoint, as: .decodable(type))
        }
    }

    /// As ``request(endpoint:type:completion:)``, for a request whose answer has no value.
    @discardableResult
    public func request(
        endpoint: EndpointItem,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<Void, APIClientError>) -> Void
    ) -> Cancellable {
        CompletionCall(queue: callbackQueue) { await completion($0.result) }.start {
            await self.response(for: endpoint, as: .nothing)
        }
    }

    /// Sends a request and returns the whole response: head, body, metrics, attempts and result. Does not throw, so that a
    /// failure keeps everything.
    public func response<Value: Decodable & Sendable>(
        for endpoint: EndpointItem, as type: Value.Type = Value.self
    ) async -> Response<Value> {
        await dispatcher.response(for: attached(endpoint), as: .decodable(type))
    }

    /// Sends a request and calls back with the whole response; otherwise as ``request(endpoint:type:completion:)``. A failed call
    /// can be retried by hand, see ``Request/retry(max:delay:failCallback:)``.
    @discardableResult
    public func response<Value: Decodable & Sendable>(
        for endpoint: EndpointItem, as type: Value.Type,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Response<Value>) -> Void
    ) -> Cancellable {
        response(for: endpoint, as: .decodable(type), completion: completion)
    }
}

/// For a feature whose endpoints are all typed: `NetworkManager<Never>`, `DLNetworker<Never>`.
extension Never: @retroactive CustomStringConvertible, Endpoint {
    public var path: String { switch self {} }
    public var method: HTTPRequest.Method { switch self {} }
}
