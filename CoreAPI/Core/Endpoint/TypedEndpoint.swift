public import HTTPTypes

/// An endpoint that knows what it takes and what it gives, made by an ``EndpointProvider``.
///
/// Use it where the answer's type belongs to the endpoint; use an ``Endpoint`` enum where one type describes a feature's requests and
/// the caller names the answer. Both run through the same dispatcher.
///
/// `Input` is `Void`, `Data` (the body as it is) or anything `Encodable`, of which `nil` is nothing; `Output` is `Void`, `Data` or
/// anything `Decodable`, ``JSONValue`` among them.
public struct TypedEndpoint<Method: EndpointMethod, Input, Output: Sendable>: Sendable {
    /// What stands in logs and errors: the provider and the name of the endpoint, without any value.
    public let name: String
    public let path: String
    public let headers: Headers
    public let encoding: InputEncoding
    /// The provider's.
    let implicitModifiers: [any RequestModifier]
    /// The endpoint's own.
    public let modifiers: [any RequestModifier]
    var attached: [[any RequestModifier]] = []
    let parameters: @Sendable (Input) -> Parameters?
    /// How the answer becomes the output.
    public let decoding: ResponseDecoding<Output>

    public var method: HTTPRequest.Method { Method.method }

    /// This endpoint with its input, for every door that takes an ``Endpoint``; its answer is decoded by ``decoding``.
    public func filled(with input: Input) -> any Endpoint {
        FilledEndpoint(
            path: path, method: method, headers: headers, params: parameters(input), encoding: encoding, modifiers: modifiers,
            description: name, modifierLevels: [implicitModifiers, modifiers + [headers]] + attached)
    }

    /// This endpoint with further modifiers for one call; they win over its own, and over those attached before.
    public func attaching(_ modifiers: any RequestModifier...) -> TypedEndpoint {
        var copy = self
        copy.attached.append(modifiers)
        return copy
    }
}

/// A typed endpoint with its input, as the pipeline takes it.
private struct FilledEndpoint: Endpoint {
    let path: String
    let method: HTTPRequest.Method
    let headers: Headers
    let params: Parameters?
    let encoding: InputEncoding
    let modifiers: [any RequestModifier]
    let description: String
    let modifierLevels: [[any RequestModifier]]
}

extension Dispatcher {
    /// Runs a typed endpoint and returns everything known about the call.
    public func response<Method, Input, Output>(
        for endpoint: TypedEndpoint<Method, Input, Output>, _ input: Input
    ) async -> Response<Output> {
        await response(for: endpoint.filled(with: input), as: endpoint.decoding)
    }

    /// Runs a typed endpoint and calls back; see ``response(for:as:queue:completion:)``.
    @discardableResult
    public func response<Method, Input, Output>(
        for endpoint: TypedEndpoint<Method, Input, Output>, _ input: Input, queue: CallbackQueue? = nil,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Response<Output>) -> Void
    ) -> Cancellable {
        response(for: endpoint.filled(with: input), as: endpoint.decoding, queue: queue, completion: completion)
    }

    /// Runs a typed endpoint that takes nothing and returns everything known about the call.
    public func response<Method, Output>(for endpoint: TypedEndpoint<Method, Void, Output>) async -> Response<Output> {
        await response(for: endpoint, ())
    }

    /// Runs a typed endpoint.
    ///
    /// - Throws: ``APIClientError``, by the stage that failed.
    public func request<Method, Input, Output>(
        _ endpoint: TypedEndpoint<Method, Input, Output>, _ input: Input
    ) async throws(APIClientError) -> Output {
        try await response(for: endpoint, input).value
    }

    /// Runs a typed endpoint that takes nothing.
    ///
    /// - Throws: ``APIClientError``, by the stage that failed.
    public func request<Method, Output>(_ endpoint: TypedEndpoint<Method, Void, Output>) async throws(APIClientError) -> Output {
        try await response(for: endpoint, ()).value
    }
}
