public import HTTPTypes

extension NetworkManager {
    /// Sends a typed endpoint's request and decodes its answer.
    ///
    /// - Throws: ``APIClientError``, by the stage that failed; `.cancelled` when the task was.
    public func request<Method, Input, Output>(
        _ endpoint: TypedEndpoint<Method, Input, Output>, _ input: Input
    ) async throws(APIClientError) -> Output {
        try await response(for: endpoint, input).value
    }

    /// As ``request(_:_:)``, of an endpoint that takes nothing.
    public func request<Method, Output>(_ endpoint: TypedEndpoint<Method, Void, Output>) async throws(APIClientError) -> Output {
        try await response(for: endpoint, ()).value
    }

    /// Sends a typed endpoint's request and returns all there is to know.
    public func response<Method, Input, Output>(
        for endpoint: TypedEndpoint<Method, Input, Output>, _ input: Input
    ) async -> Response<Output> {
        await dispatcher.response(for: attached(endpoint.filled(with: input)), as: endpoint.decoding)
    }

    /// As ``response(for:_:)``, of an endpoint that takes nothing.
    public func response<Method, Output>(for endpoint: TypedEndpoint<Method, Void, Output>) async -> Response<Output> {
        await response(for: endpoint, ())
    }

    /// Sends a typed endpoint's request and calls back, as ``response(for:as:completion:)`` does.
    @discardableResult
    public func response<Method, Input, Output>(
        for endpoint: TypedEndpoint<Method, Input, Output>, _ input: Input,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Response<Output>) -> Void
    ) -> Cancellable {
        dispatcher.response(
            for: attached(endpoint.filled(with: input)), as: endpoint.decoding, queue: callbackQueue, completion: completion)
    }

    /// As ``response(for:_:completion:)``, of an endpoint that takes nothing.
    @discardableResult
    public func response<Method, Output>(
        for endpoint: TypedEndpoint<Method, Void, Output>,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Response<Output>) -> Void
    ) -> Cancellable {
        response(for: endpoint, (), completion: completion)
    }
}

/// For a feature whose endpoints are all typed: `NetworkManager<Never>`, `DLNetworker<Never>`.
extension Never: @retroactive CustomStringConvertible, Endpoint {
    public var path: String { switch self {} }
    public var method: HTTPRequest.Method { switch self {} }
}
