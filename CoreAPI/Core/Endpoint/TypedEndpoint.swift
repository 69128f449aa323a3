internal import Foundation
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
    /// How the answer becomes the output; may be replaced, by `.decodable(at: "data.items")` for instance.
    public var decoding: ResponseDecoding<Output>

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

extension TypedEndpoint {
    init(
        path: String, headers: Headers, encoding: InputEncoding?, implicitModifiers: [any RequestModifier] = [],
        modifiers: [any RequestModifier], name: String, parameters: @escaping @Sendable (Input) -> Parameters?,
        decoding: ResponseDecoding<Output>
    ) {
        let isRaw = Input.self == Data.self || Input.self == Data?.self
        let usual: InputEncoding = if isRaw { .raw } else if Method.method.sendsParametersInQuery { .query } else { .body }
        self.init(
            name: String(name.prefix { $0 != "(" }), path: path, headers: headers, encoding: encoding ?? usual,
            implicitModifiers: implicitModifiers, modifiers: modifiers, parameters: parameters, decoding: decoding)
    }
}

// An endpoint without a provider: `static let orders = GET<Void, [Order]>("orders")`. The parameters are those of
// ``EndpointProvider/create(_:headers:encoding:modifiers:name:)``.

extension TypedEndpoint where Input == Void, Output: Decodable {
    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: any RequestModifier...,
        name: String = #function
    ) {
        self.init(path, headers: headers, encoding: encoding, modifiers: modifiers, name: name)
    }

    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier],
        name: String = #function
    ) {
        self.init(
            path: path, headers: headers, encoding: encoding, modifiers: modifiers, name: name, parameters: { _ in nil },
            decoding: .decodable())
    }
}

extension TypedEndpoint where Input == Void, Output == Void {
    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: any RequestModifier...,
        name: String = #function
    ) {
        self.init(path, headers: headers, encoding: encoding, modifiers: modifiers, name: name)
    }

    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier],
        name: String = #function
    ) {
        self.init(
            path: path, headers: headers, encoding: encoding, modifiers: modifiers, name: name, parameters: { _ in nil },
            decoding: .nothing)
    }
}

extension TypedEndpoint where Input: Encodable & Sendable, Output: Decodable {
    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: any RequestModifier...,
        name: String = #function
    ) {
        self.init(path, headers: headers, encoding: encoding, modifiers: modifiers, name: name)
    }

    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier],
        name: String = #function
    ) {
        self.init(
            path: path, headers: headers, encoding: encoding, modifiers: modifiers, name: name,
            parameters: Parameters.init(unlessNil:), decoding: .decodable())
    }
}

extension TypedEndpoint where Input: Encodable & Sendable, Output == Void {
    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: any RequestModifier...,
        name: String = #function
    ) {
        self.init(path, headers: headers, encoding: encoding, modifiers: modifiers, name: name)
    }

    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier],
        name: String = #function
    ) {
        self.init(
            path: path, headers: headers, encoding: encoding, modifiers: modifiers, name: name,
            parameters: Parameters.init(unlessNil:), decoding: .nothing)
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

    /// As ``response(for:_:queue:completion:)``, of an endpoint that takes nothing.
    @discardableResult
    public func response<Method, Output>(
        for endpoint: TypedEndpoint<Method, Void, Output>, queue: CallbackQueue? = nil,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Response<Output>) -> Void
    ) -> Cancellable {
        response(for: endpoint, (), queue: queue, completion: completion)
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
