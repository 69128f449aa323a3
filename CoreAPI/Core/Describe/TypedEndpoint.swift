public import CoreAPICoding
internal import Foundation
public import HTTPTypes

/// An endpoint as a value, with its method and the types of its input and its output: `GET<Void, [Order]>("orders")`. An
/// ``EndpointProvider`` makes those that share modifiers. `.get("orders")` and its like make one for a single call.
///
/// Use it if the response's type belongs to the endpoint. Use an ``Endpoint`` enum if one type describes a feature's requests and
/// the caller names the response. With its input a typed endpoint is an ``Endpoint``, too, and is sent in the same ways.
///
/// `Input` is `Void`, `Data` (the body unchanged) or anything `Encodable`; `nil` sends nothing. `Output` is `Void`, `Data` or
/// anything `Decodable`, ``JSONValue`` among them.
public struct TypedEndpoint<Method: EndpointMethod, Input, Output: Sendable>: Sendable {
    /// The name in logs and errors, without any value: the property or function that makes the endpoint, after its provider. For
    /// a `static let`, which Swift does not name, method and path without the query.
    public var name: String
    public var method: HTTPRequest.Method
    public var path: String
    public var baseURL = ""
    public var headers: Headers
    /// The input, once it is there.
    public var params: Parameters?
    public var encoding: InputEncoding
    /// The endpoint's own.
    public var modifiers: [any RequestModifier]
    public var keyPath = ""
    /// How the response becomes the output; may be replaced, for example by `.decodable(at: "data.items")`.
    public var decoding: ResponseDecoding<Output>
    private let implicitModifiers: [any RequestModifier]
    private var attached: [[any RequestModifier]] = []

    fileprivate init(
        _ path: String, _ encoding: InputEncoding?, _ headers: Headers, _ modifiers: [any RequestModifier], _ name: String,
        _ decoding: ResponseDecoding<Output>, method: HTTPRequest.Method = Method.method, params: Parameters? = nil,
        implicit: [any RequestModifier] = []
    ) {
        let isRaw = Input.self == Data.self || Input.self == Data?.self
        (self.name, self.method, self.path, self.headers, self.params) = (name, method, path, headers, params)
        (self.modifiers, implicitModifiers, self.decoding) = (modifiers, implicit, decoding)
        self.encoding = encoding ?? (isRaw ? .raw : .usual(for: method))
    }

    public var modifierLevels: [[any RequestModifier]] {
        ([implicitModifiers, headers.isEmpty ? modifiers : modifiers + [headers]] + attached).filter { !$0.isEmpty }
    }

    /// This endpoint with further modifiers for one call. They win over its own, and over those attached before.
    public func attaching(_ modifiers: any RequestModifier...) -> TypedEndpoint {
        var copy = self
        copy.attached.append(modifiers)
        return copy
    }
}

// A typed endpoint without input needs no call to be an endpoint.
extension TypedEndpoint: EndpointSpellings, Endpoint where Input == Void {}

extension TypedEndpoint where Input: Encodable & Sendable {
    /// This endpoint with its input, as an ``Endpoint``.
    ///
    /// ```swift
    /// let order = try await networkManager.request(OrderEndpoints.place(NewOrder(items: items)))
    /// ```
    public func callAsFunction(_ input: Input) -> TypedEndpoint<Method, Void, Output> {
        var whole = TypedEndpoint<Method, Void, Output>(
            path, encoding, headers, modifiers, name, decoding, method: method, params: Parameters(unlessNil: input),
            implicit: implicitModifiers)
        whole.baseURL = baseURL
        whole.keyPath = keyPath
        whole.attached = attached
        return whole
    }
}

extension TypedEndpoint where Output: Decodable {
    /// Describes a request whose response is decoded. The path is below the base URL, and may contain a query. Headers and
    /// modifiers win over those of every farther level. The default encoding is ``InputEncoding/raw`` for `Data`, else the
    /// method's: the query or the body. A given name should contain no value; see ``name`` for the default.
    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier] = [],
        name: String? = nil, function: String = #function
    ) { self.init(path, encoding, headers, modifiers, endpointName(name, function, Method.method, path), .decodable()) }
}

extension TypedEndpoint where Output == Void {
    /// Describes a request whose response is not read; otherwise as one whose response is decoded.
    public init(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier] = [],
        name: String? = nil, function: String = #function
    ) { self.init(path, encoding, headers, modifiers, endpointName(name, function, Method.method, path), .nothing) }
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
/// let orders = try await networkManager.request(OrderEndpoints.all)
/// let order = try await networkManager.request(OrderEndpoints.place(NewOrder(items: items)))
/// ```
public protocol EndpointProvider {
    /// Attached to every endpoint of this provider: nearer than the channel's, farther than the endpoint's own. Read when an
    /// endpoint is made, which for a `static let` is once.
    static var implicitModifiers: [any RequestModifier] { get }
}

extension EndpointProvider {
    public static var implicitModifiers: [any RequestModifier] { [] }

    /// An endpoint with an output; the parameters are those of ``TypedEndpoint``.
    public static func create<Method, Input, Output: Decodable>(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier] = [],
        name: String? = nil, function: String = #function
    ) -> TypedEndpoint<Method, Input, Output> {
        let name = endpointName(name, function, Method.method, path, of: Self.self)
        return TypedEndpoint(path, encoding, headers, modifiers, name, .decodable(), implicit: implicitModifiers)
    }

    /// An endpoint without an output; the parameters are those of ``TypedEndpoint``.
    public static func create<Method, Input>(
        _ path: String, headers: Headers = [:], encoding: InputEncoding? = nil, modifiers: [any RequestModifier] = [],
        name: String? = nil, function: String = #function
    ) -> TypedEndpoint<Method, Input, Void> {
        let name = endpointName(name, function, Method.method, path, of: Self.self)
        return TypedEndpoint(path, encoding, headers, modifiers, name, .nothing, implicit: implicitModifiers)
    }
}

/// The name of an endpoint, after that of its provider: the given one, else that of the property or function which makes it.
///
/// A stored property, such as a `static let`, has no `#function` of its own. Those of a type have the type's, and globals have
/// the module's. Their endpoint never changes, so method and path tell them apart and contain no value. A query may hold a key.
/// The type or module is known by its capital first letter. So the stored properties of one with a small letter share its name,
/// and a getter's property with a capital letter gets method and path; both want a `name`.
private func endpointName(
    _ given: String?, _ function: String, _ method: HTTPRequest.Method, _ path: String, of provider: Any.Type? = nil
) -> String {
    let type = provider.map { "\($0)" }
    // A function has parentheses, and a property with a getter begins with a small letter.
    let isType = function == type || function.first { $0.isLetter }?.isLowercase == false
    if given == nil, isType, !function.utf8.contains(UInt8(ascii: "(")) {
        return "\(type ?? function) \(method.rawValue) \(path.prefix { $0 != "?" })"
    }
    let own = (given ?? function).prefix { $0 != "(" }
    return type.map { "\($0).\(own)" } ?? String(own)
}

extension TypedEndpoint where Method == Methods.Given, Input == Void, Output == Void {
    /// Describes a request with any method, a token of RFC 9110 §9: `request(TypedEndpoint(.options, "orders"))`.
    public init(
        _ method: HTTPRequest.Method, _ path: String, params: Parameters? = nil, encoding: InputEncoding? = nil,
        headers: Headers = [:], modifiers: [any RequestModifier] = [], name: String? = nil, function: String = #function
    ) {
        let name = endpointName(name, function, method, path)
        self.init(path, encoding, headers, modifiers, name, .nothing, method: method, params: params)
    }
}

extension TypedEndpoint where Input == Void, Output == Void {
    fileprivate init(
        _ path: String, _ body: (any Encodable & Sendable)?, _ query: Parameters?, _ encoding: InputEncoding?, _ headers: Headers,
        _ modifiers: [any RequestModifier], _ name: String?, _ function: String
    ) {
        let body = body.flatMap { Parameters(unlessNil: $0) }
        var whole = encoding ?? (body?.value is Data ? .raw : .body)
        if let query { whole = whole.after(query: query) }
        let isQuery = body == nil && encoding == nil
        let name = endpointName(name, function, Method.method, path)
        self.init(path, isQuery ? .query : whole, headers, modifiers, name, .nothing, params: isQuery ? query : body)
    }
}

extension InputEncoding {
    static func usual(for method: HTTPRequest.Method) -> InputEncoding { method.sendsParametersInQuery ? .query : .body }

    /// This encoding, after a query that is written first.
    fileprivate func after(query: Parameters) -> InputEncoding {
        InputEncoding(name) { parameters, request in
            try InputEncoding.query(query, into: &request)
            try self(parameters, into: &request)
        }
    }
}

// On the protocol, so that `.get(…)` can be written for any endpoint.

extension Endpoint where Self == GET<Void, Void> {
    /// A GET for one call: `request(.get("orders/\(segment: id)"), as: Order.self)`. The path is below the base URL; it may
    /// contain a query besides the given one. Headers and modifiers win over the channel's. The name appears in logs and errors,
    /// and should contain no value; by default it is that of the function that makes the call.
    public static func get(
        _ path: String, query: Parameters? = nil, headers: Headers = [:], modifiers: [any RequestModifier] = [],
        name: String? = nil, function: String = #function
    ) -> Self { Self(path, nil, query, nil, headers, modifiers, name, function) }
}

extension Endpoint where Self == HEAD<Void, Void> {
    /// As ``get(_:query:headers:modifiers:name:function:)``; the response has no body.
    public static func head(
        _ path: String, query: Parameters? = nil, headers: Headers = [:], modifiers: [any RequestModifier] = [],
        name: String? = nil, function: String = #function
    ) -> Self { Self(path, nil, query, nil, headers, modifiers, name, function) }
}

extension Endpoint where Self == POST<Void, Void> {
    /// A POST for one call: `request(.post("orders/\(segment: id)/notes", body: Note(text: "ring twice")))`; as a GET, with a
    /// body. That is any `Encodable` value, written by the channel's coder unless an encoding is given; `Data` is sent unchanged.
    /// A literal with values of several types needs `as Parameters`.
    public static func post(
        _ path: String, body: (any Encodable & Sendable)? = nil, query: Parameters? = nil, encoding: InputEncoding? = nil,
        headers: Headers = [:], modifiers: [any RequestModifier] = [], name: String? = nil, function: String = #function
    ) -> Self { Self(path, body, query, encoding, headers, modifiers, name, function) }
}

extension Endpoint where Self == PUT<Void, Void> {
    /// As ``post(_:body:query:encoding:headers:modifiers:name:function:)``, with PUT.
    public static func put(
        _ path: String, body: (any Encodable & Sendable)? = nil, query: Parameters? = nil, encoding: InputEncoding? = nil,
        headers: Headers = [:], modifiers: [any RequestModifier] = [], name: String? = nil, function: String = #function
    ) -> Self { Self(path, body, query, encoding, headers, modifiers, name, function) }
}

extension Endpoint where Self == PATCH<Void, Void> {
    /// As ``post(_:body:query:encoding:headers:modifiers:name:function:)``, with PATCH (RFC 5789).
    public static func patch(
        _ path: String, body: (any Encodable & Sendable)? = nil, query: Parameters? = nil, encoding: InputEncoding? = nil,
        headers: Headers = [:], modifiers: [any RequestModifier] = [], name: String? = nil, function: String = #function
    ) -> Self { Self(path, body, query, encoding, headers, modifiers, name, function) }
}

extension Endpoint where Self == DELETE<Void, Void> {
    /// As ``post(_:body:query:encoding:headers:modifiers:name:function:)``, with DELETE.
    public static func delete(
        _ path: String, body: (any Encodable & Sendable)? = nil, query: Parameters? = nil, encoding: InputEncoding? = nil,
        headers: Headers = [:], modifiers: [any RequestModifier] = [], name: String? = nil, function: String = #function
    ) -> Self { Self(path, body, query, encoding, headers, modifiers, name, function) }
}

/// A request method as a type, so that the compiler checks an endpoint's method.
public protocol EndpointMethod: Sendable {
    /// The method on the wire.
    static var method: HTTPRequest.Method { get }
}

/// A request method, by the name in other libraries.
public typealias HTTPMethod = HTTPRequest.Method

/// The methods of RFC 9110 §9, PATCH of RFC 5789, and QUERY (draft-ietf-httpbis-safe-method-w-body).
public enum Methods {
    /// Opens a tunnel. The curl transport rejects it, because the response is a tunnel and no message.
    public enum CONNECT: EndpointMethod { public static var method: HTTPRequest.Method { .connect } }
    /// Removes a resource.
    public enum DELETE: EndpointMethod { public static var method: HTTPRequest.Method { .delete } }
    /// Reads a resource.
    public enum GET: EndpointMethod { public static var method: HTTPRequest.Method { .get } }
    /// Reads the head of the response to GET.
    public enum HEAD: EndpointMethod { public static var method: HTTPRequest.Method { .head } }
    /// Asks for the communication options of a resource.
    public enum OPTIONS: EndpointMethod { public static var method: HTTPRequest.Method { .options } }
    /// Changes a part of a resource.
    public enum PATCH: EndpointMethod { public static var method: HTTPRequest.Method { .patch } }
    /// Processes the body as the resource defines.
    public enum POST: EndpointMethod { public static var method: HTTPRequest.Method { .post } }
    /// Replaces a resource by the body.
    public enum PUT: EndpointMethod { public static var method: HTTPRequest.Method { .put } }
    /// Reads by a query in the body.
    public enum QUERY: EndpointMethod { public static var method: HTTPRequest.Method { .query } }
    /// Asks the server to send the request back. The curl transport rejects it with credentials or content.
    public enum TRACE: EndpointMethod { public static var method: HTTPRequest.Method { .trace } }
    /// The method that an endpoint was given when it was made.
    public enum Given: EndpointMethod { public static var method: HTTPRequest.Method { .get } }
}

// `GET<Void, [Order]>` for `TypedEndpoint<Methods.GET, Void, [Order]>`. Only the curl transport rejects some of them.

/// An endpoint with the method CONNECT.
public typealias CONNECT<Input, Output: Sendable> = TypedEndpoint<Methods.CONNECT, Input, Output>
/// An endpoint with the method DELETE.
public typealias DELETE<Input, Output: Sendable> = TypedEndpoint<Methods.DELETE, Input, Output>
/// An endpoint with the method GET.
public typealias GET<Input, Output: Sendable> = TypedEndpoint<Methods.GET, Input, Output>
/// An endpoint with the method HEAD.
public typealias HEAD<Input, Output: Sendable> = TypedEndpoint<Methods.HEAD, Input, Output>
/// An endpoint with the method OPTIONS.
public typealias OPTIONS<Input, Output: Sendable> = TypedEndpoint<Methods.OPTIONS, Input, Output>
/// An endpoint with the method PATCH.
public typealias PATCH<Input, Output: Sendable> = TypedEndpoint<Methods.PATCH, Input, Output>
/// An endpoint with the method POST.
public typealias POST<Input, Output: Sendable> = TypedEndpoint<Methods.POST, Input, Output>
/// An endpoint with the method PUT.
public typealias PUT<Input, Output: Sendable> = TypedEndpoint<Methods.PUT, Input, Output>
/// An endpoint with the method QUERY.
public typealias QUERY<Input, Output: Sendable> = TypedEndpoint<Methods.QUERY, Input, Output>
/// An endpoint with the method TRACE.
public typealias TRACE<Input, Output: Sendable> = TypedEndpoint<Methods.TRACE, Input, Output>
