public import CoreAPICoding
internal import Foundation
public import HTTPTypes

/// An endpoint that knows the types of its input and its output, made by an ``EndpointProvider``.
///
/// Use it if the response's type belongs to the endpoint. Use an ``Endpoint`` enum if one type describes a feature's requests and
/// the caller names the response. With its input a typed endpoint is an ``Endpoint``, too, and is sent in the same ways.
///
/// `Input` is `Void`, `Data` (the body unchanged) or anything `Encodable`; `nil` sends nothing. `Output` is `Void`, `Data` or
/// anything `Decodable`, ``JSONValue`` among them.
public struct TypedEndpoint<Method: EndpointMethod, Input, Output: Sendable>: Sendable {
    /// The name in logs and errors: the provider and the endpoint, without any value.
    public let name: String
    public let path: String
    public let headers: Headers
    public let encoding: InputEncoding
    /// The provider's.
    let implicitModifiers: [any RequestModifier]
    /// The endpoint's own.
    public let modifiers: [any RequestModifier]
    var attached: [[any RequestModifier]] = []
    let write: @Sendable (Input) -> Parameters?
    /// How the response becomes the output; may be replaced, for example by `.decodable(at: "data.items")`.
    public var decoding: ResponseDecoding<Output>

    public var method: HTTPRequest.Method { Method.method }

    /// This endpoint with its input. The result needs no further input, so it is an ``AnsweredEndpoint``.
    ///
    /// ```swift
    /// let order = try await networkManager.request(OrderEndpoints.place(NewOrder(items: items)))
    /// ```
    public func callAsFunction(_ input: Input) -> TypedEndpoint<Method, Void, Output> {
        let params = write(input)
        return TypedEndpoint<Method, Void, Output>(
            name: name, path: path, headers: headers, encoding: encoding, implicitModifiers: implicitModifiers,
            modifiers: modifiers, attached: attached, write: { _ in params }, decoding: decoding)
    }

    public var modifierLevels: [[any RequestModifier]] { [implicitModifiers, modifiers + [headers]] + attached }

    /// This endpoint with further modifiers for one call. They win over its own, and over those attached before.
    public func attaching(_ modifiers: any RequestModifier...) -> TypedEndpoint {
        var copy = self
        copy.attached.append(modifiers)
        return copy
    }
}

extension TypedEndpoint {
    init(
        path: String, headers: Headers, encoding: InputEncoding?, implicitModifiers: [any RequestModifier] = [],
        modifiers: [any RequestModifier], name: String, write: @escaping @Sendable (Input) -> Parameters?,
        decoding: ResponseDecoding<Output>
    ) {
        let isRaw = Input.self == Data.self || Input.self == Data?.self
        let usual: InputEncoding = if isRaw { .raw } else if Method.method.sendsParametersInQuery { .query } else { .body }
        self.init(
            name: name, path: path, headers: headers, encoding: encoding ?? usual,
            implicitModifiers: implicitModifiers, modifiers: modifiers, write: write, decoding: decoding)
    }
}

/// The name of an endpoint in logs, errors and metrics: the given one, else that of the property or function which makes it.
///
/// A stored property, such as a `static let`, has no `#function` of its own: all of a type have the type's, and globals have the
/// module's. What they make never changes, so method and path tell them apart and contain no value. A query may hold a key.
///
/// The type or module is known by its capital first letter. So the stored properties of one with a small letter share its name,
/// and a getter's property with a capital letter gets method and path; both want a `name`.
///
/// - Parameter provider: the type with which the name begins.
func endpointName(
    _ given: String?, _ function: String, _ method: HTTPRequest.Method, _ path: String, of provider: Any.Type? = nil
) -> String {
    let type = provider.map { "\($0)" }
    // Of a function it has parentheses, and of a property with a getter it begins with a small letter.
    let isType = function == type || function.first { $0.isLetter }?.isLowercase == false
    if given == nil, isType, !function.utf8.contains(UInt8(ascii: "(")) {
        return "\(type ?? function) \(method.rawValue) \(path.prefix { $0 != "?" })"
    }
    let own = (given ?? function).prefix { $0 != "(" }
    return type.map { "\($0).\(own)" } ?? String(own)
}

// An endpoint without a provider: `static let orders = GET<Void, [Order]>("orders")`. The parameters are those of
// ``EndpointProvider/create(_:headers:encoding:modifiers:name:function:)``.

extension TypedEndpoint where Input == Void, Output: Decodable {
    /// Describes a request without input whose response is decoded.
    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: any RequestModifier...,
        name: String? = nil, function: String = #function
    ) {
        self.init(path, headers: headers, encoding: encoding, modifiers: modifiers, name: name, function: function)
    }

    /// Describes a request without input whose response is decoded, with modifiers in an array.
    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier],
        name: String? = nil, function: String = #function
    ) {
        self.init(
            path: path, headers: headers, encoding: encoding, modifiers: modifiers,
            name: endpointName(name, function, Method.method, path), write: { _ in nil },
            decoding: .decodable())
    }
}

extension TypedEndpoint where Input == Void, Output == Void {
    /// Describes a request without input whose response is not read.
    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: any RequestModifier...,
        name: String? = nil, function: String = #function
    ) {
        self.init(path, headers: headers, encoding: encoding, modifiers: modifiers, name: name, function: function)
    }

    /// Describes a request without input whose response is not read, with modifiers in an array.
    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier],
        name: String? = nil, function: String = #function
    ) {
        self.init(
            path: path, headers: headers, encoding: encoding, modifiers: modifiers,
            name: endpointName(name, function, Method.method, path), write: { _ in nil },
            decoding: .nothing)
    }
}

extension TypedEndpoint where Input: Encodable & Sendable, Output: Decodable {
    /// Describes a request whose input is encoded and whose response is decoded.
    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: any RequestModifier...,
        name: String? = nil, function: String = #function
    ) {
        self.init(path, headers: headers, encoding: encoding, modifiers: modifiers, name: name, function: function)
    }

    /// Describes a request whose input is encoded and whose response is decoded, with modifiers in an array.
    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier],
        name: String? = nil, function: String = #function
    ) {
        self.init(
            path: path, headers: headers, encoding: encoding, modifiers: modifiers,
            name: endpointName(name, function, Method.method, path),
            write: Parameters.init(unlessNil:), decoding: .decodable())
    }
}

extension TypedEndpoint where Input: Encodable & Sendable, Output == Void {
    /// Describes a request whose input is encoded and whose response is not read.
    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: any RequestModifier...,
        name: String? = nil, function: String = #function
    ) {
        self.init(path, headers: headers, encoding: encoding, modifiers: modifiers, name: name, function: function)
    }

    /// Describes a request whose input is encoded and whose response is not read, with modifiers in an array.
    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier],
        name: String? = nil, function: String = #function
    ) {
        self.init(
            path: path, headers: headers, encoding: encoding, modifiers: modifiers,
            name: endpointName(name, function, Method.method, path),
            write: Parameters.init(unlessNil:), decoding: .nothing)
    }
}

/// A typed endpoint without input needs no call to be an endpoint.
extension TypedEndpoint: EndpointSpellings, Endpoint, AnsweredEndpoint where Input == Void {
    public var params: Parameters? { write(()) }
}
