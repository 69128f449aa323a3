internal import Foundation
internal import HTTPTypes

/// An endpoint that knows what it takes and what it gives, made by an ``EndpointProvider``.
///
/// Use it where the answer's type belongs to the endpoint; use an ``Endpoint`` enum where one type describes a feature's requests and
/// the caller names the answer. Both run through the same dispatcher.
///
/// `Input` is `Void`, `Data` (the body as it is) or anything `Encodable`; `Output` is `Void`, `Data` or anything `Decodable`, ``JSONValue``
/// among them.
public struct TypedEndpoint<Method: EndpointMethod, Input, Output: Sendable>: Sendable {
    public let path: String
    public private(set) var headers: Headers
    public let encoding: InputEncoding
    /// The endpoint's own, and those of a call; see ``attaching(_:)``.
    public private(set) var modifiers: [any RequestModifier]
    let parameters: @Sendable (Input) -> Parameters?
    /// How the answer becomes the output.
    public let decoding: ResponseDecoding<Output>
}

extension TypedEndpoint {
    /// This endpoint with its input, for every door that takes an ``Endpoint``; its answer is decoded by ``decoding``.
    public func filled(with input: Input) -> any Endpoint {
        FilledEndpoint(
            path: path, method: Method.method, headers: headers, params: parameters(input), encoding: encoding,
            modifiers: modifiers, description: "\(Method.method.rawValue) \(path)")
    }

    /// This endpoint with further modifiers for one call; they win over its own.
    public func attaching(_ modifiers: any RequestModifier...) -> TypedEndpoint {
        var copy = self
        copy.modifiers = [ModifierLevel(modifiers: self.modifiers + [headers])] + modifiers
        copy.headers = [:]
        return copy
    }
}

/// Makes typed endpoints that share modifiers: one per feature.
///
/// ```swift
/// struct OrderEndpoints: EndpointProvider {
///     static var implicitModifiers: [any RequestModifier] { [Header("X-Feature", "orders")] }
///
///     static let all: GET<Void, [Order]> = create("orders")
///     static let place: POST<NewOrder, Order> = create("orders")
///     static func order(_ id: String) -> GET<Void, Order> { create("orders/\(segment: id)") }
/// }
///
/// let orders = try await dispatcher.request(OrderEndpoints.all)
/// let order = try await dispatcher.request(OrderEndpoints.place, NewOrder(items: items))
/// ```
public protocol EndpointProvider {
    /// Attached to every endpoint of this provider: nearer than the channel's, farther than the endpoint's own.
    static var implicitModifiers: [any RequestModifier] { get }
}

extension EndpointProvider {
    public static var implicitModifiers: [any RequestModifier] { [] }

    /// An endpoint that takes nothing and gives a value.
    public static func create<Method, Output: Decodable>(
        _ path: String, headers: Headers = [:], modifiers: [any RequestModifier] = []
    ) -> TypedEndpoint<Method, Void, Output> {
        make(path, headers, nil, modifiers, { _ in nil }, .decodable())
    }

    /// An endpoint that takes nothing and gives nothing.
    public static func create<Method>(
        _ path: String, headers: Headers = [:], modifiers: [any RequestModifier] = []
    ) -> TypedEndpoint<Method, Void, Void> {
        make(path, headers, nil, modifiers, { _ in nil }, .nothing)
    }

    /// An endpoint that takes a value and gives one.
    ///
    /// - Parameters:
    ///   - path: as in ``Endpoint/path``.
    ///   - headers: the endpoint's own; they win over those of every farther level.
    ///   - encoding: `nil` for the query or the body, as the method wants it.
    ///   - modifiers: the endpoint's own.
    public static func create<Method, Input: Encodable & Sendable, Output: Decodable>(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier] = []
    ) -> TypedEndpoint<Method, Input, Output> {
        make(path, headers, encoding, modifiers, { Parameters($0) }, .decodable())
    }

    /// An endpoint that takes a value and gives nothing.
    ///
    /// - Parameters:
    ///   - path: as in ``Endpoint/path``.
    ///   - headers: the endpoint's own; they win over those of every farther level.
    ///   - encoding: `nil` for the query or the body, as the method wants it.
    ///   - modifiers: the endpoint's own.
    public static func create<Method, Input: Encodable & Sendable>(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier] = []
    ) -> TypedEndpoint<Method, Input, Void> {
        make(path, headers, encoding, modifiers, { Parameters($0) }, .nothing)
    }

    private static func make<Method, Input, Output>(
        _ path: String, _ headers: Headers, _ encoding: InputEncoding?, _ modifiers: [any RequestModifier],
        _ parameters: @escaping @Sendable (Input) -> Parameters?, _ decoding: ResponseDecoding<Output>
    ) -> TypedEndpoint<Method, Input, Output> {
        let usual: InputEncoding =
            if Input.self == Data.self { .raw } else if Method.method.sendsParametersInQuery { .query } else { .body }
        return TypedEndpoint(
            path: path, headers: headers, encoding: encoding ?? usual,
            modifiers: [ModifierLevel(modifiers: implicitModifiers)] + modifiers,
            parameters: parameters, decoding: decoding)
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
        for endpoint: TypedEndpoint<Method, Input, Output>, _ input: Input, queue: CallbackQueue = .main,
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
        try await response(for: endpoint, input).result.get()
    }

    /// Runs a typed endpoint that takes nothing.
    ///
    /// - Throws: ``APIClientError``, by the stage that failed.
    public func request<Method, Output>(_ endpoint: TypedEndpoint<Method, Void, Output>) async throws(APIClientError) -> Output {
        try await response(for: endpoint, ()).result.get()
    }
}
