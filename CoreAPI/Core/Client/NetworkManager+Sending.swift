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
    ///   - endpoint: what to ask for.
    ///   - type: what the answer is decoded into; may be left to the context.
    /// - Throws: ``APIClientError``, by the stage that failed; `.cancelled` when the task was.
    public func request<Value: Decodable & Sendable>(
        endpoint: EndpointItem, type: Value.Type = Value.self
    ) async throws(APIClientError) -> Value {
        try await response(for: endpoint, as: .decodable(type)).value
    }

    /// Sends a request whose answer is of no interest beyond its success.
    public func request(endpoint: EndpointItem) async throws(APIClientError) {
        try await response(for: endpoint, as: .nothing).value
    }

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
        request(endpoint, as: .decodable(type), completion: completion)
    }

    /// Sends a request whose answer is of no interest beyond its success, and calls back as
    /// ``request(endpoint:type:completion:)`` does.
    @discardableResult
    public func request(
        endpoint: EndpointItem,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<Void, APIClientError>) -> Void
    ) -> Cancellable {
        request(endpoint, as: .nothing, completion: completion)
    }

    /// Sends a request and hands its result to an interactor, which the call does not keep alive.
    ///
    /// ```swift
    /// networkManager.request(.orderDetail(id: id), to: self) { $0.output?.handleOrderDetailResponse($1) }
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: what to ask for.
    ///   - receiver: held weakly; when it is gone, the completion is not called.
    ///   - completion: called with the receiver and the result, at most once, on the main actor.
    /// - Returns: a handle to cancel with; need not be kept.
    @MainActor
    @discardableResult
    public func request<Value: Decodable & Sendable, Receiver: AnyObject>(
        _ endpoint: EndpointItem, to receiver: Receiver,
        completion: @escaping @MainActor (Receiver, Result<Value, APIClientError>) -> Void
    ) -> Cancellable {
        request(endpoint: endpoint, type: Value.self) { [weak receiver] result in
            if let receiver { completion(receiver, result) }
        }
    }

    /// Sends a request and returns all there is to know: head, body, metrics, attempts and the result together. Does not throw,
    /// so that a failure loses nothing.
    public func response<Value: Decodable & Sendable>(
        for endpoint: EndpointItem, as type: Value.Type = Value.self
    ) async -> Response<Value> {
        await dispatcher.response(for: attached(endpoint), as: .decodable(type))
    }

    /// As `response(for:as:)`, with a decoding of the caller's own.
    public func response<Value: Sendable>(
        for endpoint: EndpointItem, decoding: ResponseDecoding<Value>
    ) async -> Response<Value> {
        await dispatcher.response(for: attached(endpoint), as: decoding)
    }

    /// Sends a request and calls back with all there is to know; else as ``request(endpoint:type:completion:)``. What failed can
    /// be tried again by hand, see ``Request/retry(max:delay:failCallback:)``.
    @discardableResult
    public func response<Value: Decodable & Sendable>(
        for endpoint: EndpointItem, as type: Value.Type,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Response<Value>) -> Void
    ) -> Cancellable {
        response(for: endpoint, as: .decodable(type), completion: completion)
    }

    /// A call as the sequence of its attempts; see ``Dispatcher/attempts(for:as:)``.
    public func attempts<Value: Decodable & Sendable>(
        for endpoint: EndpointItem, as type: Value.Type = Value.self
    ) -> CallAttempts<Value> {
        attempts(for: endpoint, as: .decodable(type))
    }
}

/// For a feature whose endpoints are all typed: `NetworkManager<Never>`, `DLNetworker<Never>`.
extension Never: @retroactive CustomStringConvertible, Endpoint {
    public var path: String { switch self {} }
    public var method: HTTPRequest.Method { switch self {} }
}
