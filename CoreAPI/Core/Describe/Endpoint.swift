public import CoreAPICoding
public import HTTPTypes

/// Describes one kind of request. The channel decides how it is sent. Features write one `enum` or `struct` per area.
///
/// Only ``path`` and ``method`` are required:
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
///
/// If an endpoint knows the type of its response, as a ``TypedEndpoint`` does, a call need not name it:
///
/// ```swift
/// struct OrderByID: Endpoint {
///     typealias Output = Order
///     let id: String
///     var path: String { "orders/\(segment: id)" }
///     var method: HTTPRequest.Method { .get }
/// }
///
/// let order = try await networkManager.request(OrderByID(id: "7"))
/// ```
public protocol Endpoint: Sendable, EndpointSpellings {
    /// The type of the response's value, unless the call asks for another one. Default `Void`: the body is not read.
    associatedtype Output: Sendable = Void

    /// An absolute base URL other than the environment's, unless that overrides it (``APIEnvironment/overridesBaseURLs``).
    var baseURL: String { get }
    /// Appended to the base URL; may contain a query, as in `orders?page=1`. Encoded when the request is built.
    var path: String { get }
    /// The request's method.
    var method: HTTPRequest.Method { get }
    /// The nearest headers: they win over all others of the same name.
    var headers: Headers { get }
    /// Values that ``encoding`` writes into the query or the body; `nil` for nothing.
    var params: Parameters? { get }
    /// The whole address as text. Default: base URL and path joined. An endpoint with its own address is sent there.
    var url: String { get }
    /// A name for logs, errors and metrics. Default: the case or type name without its values, so that it contains no secret.
    /// Your own logs write it instead of `\(endpoint)`, which shows the values.
    var description: String { get }
    /// Default: ``InputEncoding/query`` for methods whose parameters belong there, else ``InputEncoding/body``.
    var encoding: InputEncoding { get }
    /// The endpoint's own modifiers; see ``RequestModifier``.
    var modifiers: [any RequestModifier] { get }
    /// The path of the value in the body, as in `data.items`. Empty, the default, for the channel's ``Channel/payload``, by
    /// default the whole body. ``ResponseDecoding/decodable(_:at:)`` and ``ResponseDecoding/json`` read it.
    var keyPath: String { get }
    /// The modifiers of a call of this endpoint, farthest level first. Default one level, ``modifiers`` and then ``headers``, or
    /// none. A custom dispatcher may read it; a feature's endpoint does not implement it.
    var modifierLevels: [[any RequestModifier]] { get }
    /// How the response becomes the output. Default ``ResponseDecoding/decodable(_:at:)``, or ``ResponseDecoding/nothing``.
    var decoding: ResponseDecoding<Output> { get }
}

extension Endpoint where Output: Decodable {
    public var decoding: ResponseDecoding<Output> { .decodable() }
}

extension Endpoint where Output == Void {
    /// ``ResponseDecoding/nothing``: the response's body is not read.
    public var decoding: ResponseDecoding<Output> { .nothing }
}

extension Endpoint {
    public var baseURL: String { "" }
    public var headers: Headers { [:] }
    public var params: Parameters? { nil }
    public var encoding: InputEncoding { .usual(for: method) }
    public var modifiers: [any RequestModifier] { [] }
    public var keyPath: String { "" }
    public var modifierLevels: [[any RequestModifier]] {
        let own = headers.isEmpty ? modifiers : modifiers + [headers]
        return own.isEmpty ? [] : [own]
    }

    public var url: String { usualURL(baseURL, path) }

    /// The endpoint's name in logs and errors: the case of an enumeration, else the type.
    public var description: String {
        let mirror = Mirror(reflecting: self)
        // A description of its own would be this one again.
        guard mirror.displayStyle == .enum, !(self is any CustomStringConvertible) else {
            return String(describing: type(of: self))
        }
        return mirror.children.first?.label ?? String(describing: self)
    }
}

func usualURL(_ base: String, _ path: String) -> String {
    guard !base.isEmpty else { return path }
    return base.hasSuffix("/") || path.hasPrefix("/") ? base + path : "\(base)/\(path)"
}
