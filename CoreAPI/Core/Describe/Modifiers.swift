public import CoreAPICoding

/// A setting of a channel, a provider, an endpoint or a call: a header, a timeout. A ``RequestEnhancer`` applies it.
///
/// Use a modifier to say *what* (a header, a timeout, your own tag) and an enhancer to say *how* it changes the request. Among
/// several of one type the nearest to the call wins: call over endpoint over provider over channel.
///
/// ```swift
/// try await networkManager.attaching(Timeout(.seconds(5))).request(endpoint: .orderList(page: 1))
/// ```
///
/// A value that stages of the pipeline read, on any thread. It changes nothing by itself.
public protocol RequestModifier: Sendable {
    /// Whether several of this type at one level make sense, as for headers. If `false`, a second one fails the call with
    /// ``RequestError/duplicateModifier(type:)``. Default `true`.
    static var allowsSeveral: Bool { get }
}

extension RequestModifier {
    public static var allowsSeveral: Bool { true }
}

extension BodyCoder: RequestModifier {
    public static var allowsSeveral: Bool { false }
}

/// Sends the call to a base URL other than the environment's. The highest priority wins, and among equals the nearest. An
/// endpoint's own ``Endpoint/baseURL`` comes before all, an environment first with ``APIEnvironment/overridesBaseURLs``. Two
/// different base URLs of equal priority at one level are an error.
public struct BaseURL: RequestModifier, Hashable {
    /// `nil` for ``ignore``, and for a base URL that changes nothing.
    public let string: String?
    /// Among several base URLs the highest wins.
    public let priority: Priority
    let isIgnoring: Bool

    /// Names an absolute http or https URL, checked when the request is built; `nil` changes nothing.
    public init(_ string: String?, priority: Priority = .normal) {
        self.init(string: string, priority: priority, isIgnoring: false)
    }

    private init(string: String?, priority: Priority, isIgnoring: Bool) {
        (self.string, self.priority, self.isIgnoring) = (string, priority, isIgnoring)
    }

    /// No base at all: the endpoint's path is an absolute URL. The channel's headers, and those of its interceptors, go there as
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
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// Appends one query item to every request that it is attached to, such as an API key. Items of several levels add up.
public struct QueryItem: RequestModifier, Hashable {
    /// The item's name, before percent-encoding.
    public let name: String
    /// The item's value, before percent-encoding; `nil` for an item without `=`.
    public let value: String?

    /// Makes an item.
    public init(_ name: String, _ value: String?) { (self.name, self.value) = (name, value) }
}

/// Instructs caches on the way, by a `Cache-Control` request directive (RFC 9111 §5.2.1). The kit keeps no cache itself.
public enum CachePolicy: RequestModifier, Hashable {
    /// No directive: everything that the protocol allows.
    case protocolDefault
    /// `no-cache`: a stored response must be revalidated first.
    case revalidate
    /// `no-store`: caches must not keep the response.
    case noStore
    /// `only-if-cached`: the response comes from a cache, or the request fails.
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

/// How long a call may take. Attached to a channel, a provider, an endpoint or a call; the nearest wins as a whole.
public struct Timeout: RequestModifier, Hashable {
    /// Until name resolution, TCP and TLS are done, per attempt. Default 10 s.
    public var connect: Duration
    /// The longest time without progress in either direction, per attempt: a byte of a body, or a whole line of a head. A server
    /// that sends a line byte by byte is idle. Default 30 s.
    public var idle: Duration
    /// The whole call: waiting in the kit's queue, every attempt, the pauses between them and redirects. Default 300 s.
    /// ``connect`` and ``idle`` detect a dead server much earlier; this one ends calls that still make progress. 10,000 requests
    /// of 2 s to one host take 200 s in the queue. Attach a shorter timeout for interactive requests.
    public var total: Duration
    public static let allowsSeveral = false

    /// Makes a timeout; each part that is left out has its default.
    public init(connect: Duration = .seconds(10), idle: Duration = .seconds(30), total: Duration = .seconds(300)) {
        (self.connect, self.idle, self.total) = (connect, idle, total)
    }

    /// The same timeout for the whole call and everything in it.
    public init(_ total: Duration) { self.init(connect: min(total, .seconds(10)), idle: min(total, .seconds(30)), total: total) }
}

/// Replaces ``Timeout/idle`` alone.
package struct IdleTimeout: RequestModifier {
    package static let allowsSeveral = false
    let duration: Duration
    /// Whether a ``Timeout`` of any level comes first.
    let yieldsToTimeout: Bool

    package init(_ duration: Duration, yieldsToTimeout: Bool = false) {
        (self.duration, self.yieldsToTimeout) = (duration, yieldsToTimeout)
    }
}
