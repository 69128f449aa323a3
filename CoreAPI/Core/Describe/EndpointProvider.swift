internal import CoreAPICoding

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
/// let orders = try await networkManager.request(OrderEndpoints.all)
/// let order = try await networkManager.request(OrderEndpoints.place, NewOrder(items: items))
/// ```
public protocol EndpointProvider {
    /// Attached to every endpoint of this provider: nearer than the channel's, farther than the endpoint's own. Read when an
    /// endpoint is made, which for a `static let` is once.
    static var implicitModifiers: [any RequestModifier] { get }
}

extension EndpointProvider {
    public static var implicitModifiers: [any RequestModifier] { [] }

    /// An endpoint without input, with an output.
    ///
    /// - Parameters:
    ///   - path: below the base URL; may contain a query.
    ///   - headers: the endpoint's own; they win over those of every farther level.
    ///   - encoding: `nil` for the method's default, the query or the body.
    ///   - modifiers: the endpoint's own.
    ///   - name: appears in logs and errors. Default: the property or function; for a `static let`, which Swift does not name,
    ///     method and path without the query.
    ///   - function: the property or function.
    public static func create<Method, Output: Decodable>(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: any RequestModifier...,
        name: String? = nil, function: String = #function
    ) -> TypedEndpoint<Method, Void, Output> {
        create(path, headers: headers, encoding: encoding, modifiers: modifiers, name: name, function: function)
    }

    /// The same with the modifiers in an array.
    public static func create<Method, Output: Decodable>(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier],
        name: String? = nil, function: String = #function
    ) -> TypedEndpoint<Method, Void, Output> {
        make(path, headers, encoding, modifiers, name, function, { _ in nil }, .decodable())
    }

    /// An endpoint with neither input nor output.
    public static func create<Method>(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: any RequestModifier...,
        name: String? = nil, function: String = #function
    ) -> TypedEndpoint<Method, Void, Void> {
        create(path, headers: headers, encoding: encoding, modifiers: modifiers, name: name, function: function)
    }

    /// The same with the modifiers in an array.
    public static func create<Method>(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier],
        name: String? = nil, function: String = #function
    ) -> TypedEndpoint<Method, Void, Void> {
        make(path, headers, encoding, modifiers, name, function, { _ in nil }, .nothing)
    }

    /// An endpoint with input and output.
    public static func create<Method, Input: Encodable & Sendable, Output: Decodable>(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: any RequestModifier...,
        name: String? = nil, function: String = #function
    ) -> TypedEndpoint<Method, Input, Output> {
        create(path, headers: headers, encoding: encoding, modifiers: modifiers, name: name, function: function)
    }

    /// The same with the modifiers in an array.
    public static func create<Method, Input: Encodable & Sendable, Output: Decodable>(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier],
        name: String? = nil, function: String = #function
    ) -> TypedEndpoint<Method, Input, Output> {
        make(path, headers, encoding, modifiers, name, function, Parameters.init(unlessNil:), .decodable())
    }

    /// An endpoint with input, without output.
    public static func create<Method, Input: Encodable & Sendable>(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: any RequestModifier...,
        name: String? = nil, function: String = #function
    ) -> TypedEndpoint<Method, Input, Void> {
        create(path, headers: headers, encoding: encoding, modifiers: modifiers, name: name, function: function)
    }

    /// The same with the modifiers in an array.
    public static func create<Method, Input: Encodable & Sendable>(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier],
        name: String? = nil, function: String = #function
    ) -> TypedEndpoint<Method, Input, Void> {
        make(path, headers, encoding, modifiers, name, function, Parameters.init(unlessNil:), .nothing)
    }

    private static func make<Method, Input, Output>(
        _ path: String, _ headers: Headers, _ encoding: InputEncoding?, _ modifiers: [any RequestModifier],
        _ name: String?, _ function: String, _ parameters: @escaping @Sendable (Input) -> Parameters?,
        _ decoding: ResponseDecoding<Output>
    ) -> TypedEndpoint<Method, Input, Output> {
        TypedEndpoint(
            path: path, headers: headers, encoding: encoding, implicitModifiers: implicitModifiers, modifiers: modifiers,
            name: endpointName(name, function, Method.method, path, of: Self.self), write: parameters, decoding: decoding)
    }
}
