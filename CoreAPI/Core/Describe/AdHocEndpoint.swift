public import CoreAPICoding
internal import Foundation
public import HTTPTypes

/// An endpoint as a value, for a call without a type of its own.
///
/// ```swift
/// let order = try await manager.request(.get("orders/\(segment: id)"), as: Order.self)
/// try await manager.request(.post("orders/\(segment: id)/notes", body: Note(text: "ring twice")))
/// ```
///
/// Every ``NetworkManager``, ``Dispatcher`` and ``APIRequest`` accepts it. Describe requests that a feature repeats as an
/// ``Endpoint`` enum, or by an ``EndpointProvider``.
public struct AdHocEndpoint: Endpoint {
    public var method: HTTPRequest.Method
    public var path: String
    public var baseURL = ""
    public var headers: Headers
    public var params: Parameters?
    public var encoding: InputEncoding
    public var modifiers: [any RequestModifier]
    public var keyPath = ""
    /// The name of the function that makes the call, unless another name was given.
    public var description: String

    /// Describes a request without a type of its own.
    ///
    /// - Parameters:
    ///   - method: any token of RFC 9110 §9.
    ///   - path: below the base URL; may contain a query.
    ///   - params: go into the query or the body; `nil` for nothing.
    ///   - encoding: `nil` for the method's default, the query or the body.
    ///   - headers: the endpoint's own; they win over the channel's.
    ///   - modifiers: the endpoint's own, such as a ``Timeout``.
    ///   - name: appears in logs and errors, and should contain no value. Default: the function that makes the call; for a
    ///     `static let`, which Swift does not name, method and path without the query.
    ///   - function: the function that makes the call.
    public init(
        _ method: HTTPRequest.Method, _ path: String, params: Parameters? = nil, encoding: InputEncoding? = nil,
        headers: Headers = [:], modifiers: [any RequestModifier] = [], name: String? = nil, function: String = #function
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.params = params
        self.encoding = encoding ?? (method.sendsParametersInQuery ? .query : .body)
        self.modifiers = modifiers
        description = endpointName(name, function, method, path)
    }

    fileprivate init(
        _ method: HTTPRequest.Method, _ path: String, body: (any Encodable & Sendable)?, query: Parameters?,
        _ encoding: InputEncoding?, _ headers: Headers, _ modifiers: [any RequestModifier], _ name: String?,
        _ function: String
    ) {
        let params = body.flatMap { Parameters(unlessNil: $0) }
        var encoding = encoding ?? (params?.value is Data ? .raw : .body)
        if let query { encoding = encoding.besides(query: query) }
        self.init(
            method, path, params: params, encoding: encoding, headers: headers, modifiers: modifiers, name: name,
            function: function)
    }
}

extension InputEncoding {
    /// This encoding, after a query that is written first.
    fileprivate func besides(query: Parameters) -> InputEncoding {
        InputEncoding(name) { parameters, request in
            try InputEncoding.query(query, into: &request)
            try self(parameters, into: &request)
        }
    }
}

// On the protocol, so that `.get(…)` can be written for any endpoint.
extension Endpoint where Self == AdHocEndpoint {
    /// A GET of a path.
    ///
    /// - Parameters:
    ///   - path: below the base URL; may contain a query.
    ///   - query: further query items.
    ///   - headers: they win over the channel's.
    ///   - modifiers: such as a ``Timeout``.
    ///   - name: appears in logs and errors, and should contain no value.
    ///   - function: the function that makes the call.
    public static func get(
        _ path: String, query: Parameters? = nil, headers: Headers = [:], modifiers: any RequestModifier...,
        name: String? = nil, function: String = #function
    ) -> AdHocEndpoint {
        AdHocEndpoint(.get, path, params: query, headers: headers, modifiers: modifiers, name: name, function: function)
    }

    /// As ``get(_:query:headers:modifiers:name:function:)``; the response has no body.
    public static func head(
        _ path: String, query: Parameters? = nil, headers: Headers = [:], modifiers: any RequestModifier...,
        name: String? = nil, function: String = #function
    ) -> AdHocEndpoint {
        AdHocEndpoint(.head, path, params: query, headers: headers, modifiers: modifiers, name: name, function: function)
    }

    /// A POST to a path.
    ///
    /// - Parameters:
    ///   - path: below the base URL; may contain a query.
    ///   - body: any `Encodable` value; `Data` is sent unchanged. A literal with values of several types needs `as Parameters`.
    ///   - query: query items, besides the body.
    ///   - encoding: `nil` for the channel's coder.
    ///   - headers: they win over the channel's.
    ///   - modifiers: such as a ``Timeout``.
    ///   - name: appears in logs and errors, and should contain no value.
    ///   - function: the function that makes the call.
    public static func post(
        _ path: String, body: (any Encodable & Sendable)? = nil, query: Parameters? = nil, encoding: InputEncoding? = nil,
        headers: Headers = [:], modifiers: any RequestModifier..., name: String? = nil, function: String = #function
    ) -> AdHocEndpoint {
        AdHocEndpoint(.post, path, body: body, query: query, encoding, headers, modifiers, name, function)
    }

    /// As ``post(_:body:query:encoding:headers:modifiers:name:function:)``, with PUT.
    public static func put(
        _ path: String, body: (any Encodable & Sendable)? = nil, query: Parameters? = nil, encoding: InputEncoding? = nil,
        headers: Headers = [:], modifiers: any RequestModifier..., name: String? = nil, function: String = #function
    ) -> AdHocEndpoint {
        AdHocEndpoint(.put, path, body: body, query: query, encoding, headers, modifiers, name, function)
    }

    /// As ``post(_:body:query:encoding:headers:modifiers:name:function:)``, with PATCH (RFC 5789).
    public static func patch(
        _ path: String, body: (any Encodable & Sendable)? = nil, query: Parameters? = nil, encoding: InputEncoding? = nil,
        headers: Headers = [:], modifiers: any RequestModifier..., name: String? = nil, function: String = #function
    ) -> AdHocEndpoint {
        AdHocEndpoint(.patch, path, body: body, query: query, encoding, headers, modifiers, name, function)
    }

    /// As ``post(_:body:query:encoding:headers:modifiers:name:function:)``, with DELETE.
    public static func delete(
        _ path: String, body: (any Encodable & Sendable)? = nil, query: Parameters? = nil, encoding: InputEncoding? = nil,
        headers: Headers = [:], modifiers: any RequestModifier..., name: String? = nil, function: String = #function
    ) -> AdHocEndpoint {
        AdHocEndpoint(.delete, path, body: body, query: query, encoding, headers, modifiers, name, function)
    }
}
