public import HTTPTypes

/// Describes one kind of request: what a feature wants, without saying how it is sent. Features write one `enum` or `struct` per
/// area.
///
/// Only ``path`` and ``method`` must be given:
///
/// ```swift
/// enum OrderEndpoint: Endpoint {
///     case list(page: Int)
///     var path: String { "orders" }
///     var method: HTTPRequest.Method { .get }
///     var params: Parameters? {
///         switch self {
///         case .list(let page): ["page": page]
///         }
///     }
/// }
/// ```
public protocol Endpoint: Sendable, CustomStringConvertible, EndpointSpellings {
    /// Another base URL than the environment's, absolute; empty, the default, for the environment's. Which of the two counts is
    /// the environment's ``APIEnvironment/baseURLRule``.
    var baseURL: String { get }
    /// Appended to the base URL; may bring a query, as in `orders?page=1`. Encoded when the request is built.
    var path: String { get }
    var method: HTTPRequest.Method { get }
    /// The nearest headers: they win over every other of the same name.
    var headers: Headers { get }
    /// What ``encoding`` puts into the query or the body; `nil` for nothing.
    var params: Parameters? { get }
    /// The whole address as text. Default: base URL and path joined. An endpoint that declares its own is sent there.
    var url: String { get }
    /// A name for logs, errors and metrics, and what `print` shows. Default: the case or type name without its values, so that it
    /// holds no secret.
    var description: String { get }
    /// Default: ``InputEncoding/query`` for methods whose parameters belong there, else ``InputEncoding/body``.
    var encoding: InputEncoding { get }
    /// The endpoint's own; see ``RequestModifier``.
    var modifiers: [any RequestModifier] { get }
    /// Where in the body the value lies, as in `data.items`; empty, the default, for the channel's ``Channel/payload``, which is
    /// the whole body unless the channel says otherwise. Read by ``ResponseDecoding/decodable(_:)`` and
    /// ``ResponseDecoding/json``; a path that the call gives itself wins.
    var keyPath: String { get }
    /// What is attached to a call of this endpoint, farthest level first. Default one level, ``modifiers`` and then ``headers``,
    /// or none without either. What a dispatcher of the team's own looks at; an endpoint that a feature describes leaves it
    /// alone.
    var modifierLevels: [[any RequestModifier]] { get }
}

extension Endpoint {
    public var baseURL: String { "" }
    public var headers: Headers { [:] }
    public var params: Parameters? { nil }
    public var encoding: InputEncoding { method.sendsParametersInQuery ? .query : .body }
    public var modifiers: [any RequestModifier] { [] }
    public var keyPath: String { "" }
    public var modifierLevels: [[any RequestModifier]] {
        let own = headers.isEmpty ? modifiers : modifiers + [headers]
        return own.isEmpty ? [] : [own]
    }

    public var url: String { usualURL(baseURL, path) }

    public var description: String {
        caseName(of: self).map { String(cString: $0) } ?? String(describing: type(of: self))
    }
}

/// The whole address of an endpoint that declares none of its own.
func usualURL(_ base: String, _ path: String) -> String {
    guard !base.isEmpty else { return path }
    return base.hasSuffix("/") || path.hasPrefix("/") ? base + path : "\(base)/\(path)"
}

/// The name of an enum's case, `nil` for another type. `Mirror` does not name a case without values, and `String(describing:)`
/// would ask the endpoint's own `description`.
@_silgen_name("swift_EnumCaseName")
private func caseName<Value>(of value: Value) -> UnsafePointer<CChar>?
