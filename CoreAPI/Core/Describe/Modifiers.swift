/// Sends the call to a base URL other than the environment's. The highest priority wins, and among equals the nearest. An
/// endpoint's own ``Endpoint/baseURL`` comes before all. An environment comes first if its ``APIEnvironment/baseURLRule`` says
/// so. Two different base URLs of equal priority at one level are an error.
public struct BaseURL: RequestModifier, Hashable {
    /// `nil` for ``ignore``, and for a base URL that changes nothing.
    public let string: String?
    /// The rank among several base URLs; the highest wins.
    public let priority: Priority
    let isIgnoring: Bool

    /// Names a base URL.
    ///
    /// - Parameters:
    ///   - string: an absolute http or https URL; checked when the request is built. `nil` changes nothing.
    ///   - priority: among the base URLs of all levels.
    public init(_ string: String?, priority: Priority = .normal) {
        self.init(string: string, priority: priority, isIgnoring: false)
    }

    private init(string: String?, priority: Priority, isIgnoring: Bool) {
        self.string = string
        self.priority = priority
        self.isIgnoring = isIgnoring
    }

    /// No base at all: the endpoint's path is an absolute URL. The channel's headers, and what its interceptors add, go there as
    /// well, so check the host of an address that a server gave. The kit's credentials do not.
    public static let ignore = BaseURL(string: nil, priority: .max, isIgnoring: true)
}

/// A custom header type: a modifier with a name and a value.
///
/// ```swift
/// struct Tenant: HeaderModifier {
///     let name = "X-Tenant"
///     let value: String
/// }
/// ```
public protocol HeaderModifier: RequestModifier {
    /// The field's name, a token (RFC 9110 §5.1); checked when the request is built.
    var name: String { get }
    /// The field's value, without controls (RFC 9110 §5.5); checked when the request is built.
    var value: String { get }
}

/// Sets one header; among several of one name the nearest wins.
///
/// ```swift
/// var modifiers: [any RequestModifier] { [Header("X-Experiment", "basket-2")] }
/// ```
public struct Header: HeaderModifier, Hashable {
    public let name: String
    public let value: String

    /// Name and value are checked when the request is built.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Appends one query item to every request that it is attached to, such as an API key. Items of several levels add up.
public struct QueryItem: RequestModifier, Hashable {
    /// The item's name, before percent-encoding.
    public let name: String
    /// The item's value, before percent-encoding; `nil` for an item without `=`.
    public let value: String?

    /// Makes an item.
    public init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }
}

/// Instructs caches between the kit and the server, by a `Cache-Control` request directive (RFC 9111 §5.2.1). The kit keeps no
/// cache itself.
public enum CachePolicy: RequestModifier, Hashable {
    /// No directive: everything that the protocol allows.
    case protocolDefault
    /// `no-cache`: a stored response must be revalidated first.
    case revalidate
    /// `no-store`: caches must not keep the response.
    case noStore
    /// `only-if-cached`: the cache answers, or the request fails.
    case onlyIfCached

    public static let allowsSeveral = false

    var directive: String? {
        switch self {
        case .protocolDefault: nil
        case .revalidate: "no-cache"
        case .noStore: "no-store"
        case .onlyIfCached: "only-if-cached"
        }
    }
}
