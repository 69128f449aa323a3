internal import CoreAPIHTTPSupport
internal import CoreAPILock
internal import Foundation

/// One of the places that a channel can speak to: production, staging, a sandbox. Channels declare an enum of their hosts.
///
/// Use an environment type for what has a name and a URL; everything that a team may want to change on top is a value in
/// ``APIEnvironment``.
public protocol EnvironmentType: Sendable, EnvironmentTypeSpellings {
    var name: String { get }
    /// An absolute https URL, or http where ``APIEnvironment/allowsInsecureConnections`` says so.
    var baseURL: String { get }
    /// Whether fixtures, a sandbox or weaker trust may stand in for the real thing. Default `false`.
    var isSimulated: Bool { get }
}

extension EnvironmentType {
    public var isSimulated: Bool { false }
}

extension EnvironmentType where Self: RawRepresentable, RawValue == String {
    public var name: String { rawValue }
}

/// Which base URL a request uses where an endpoint names one and the environment has one.
public enum BaseURLRule: Sendable, Hashable {
    /// The endpoint's ``Endpoint/baseURL``, else the nearest ``BaseURL``, else the environment's.
    case endpoint
    /// The environment's, as for staging behind endpoints that name production. ``BaseURL/ignore`` still counts; an endpoint's
    /// whole ``Endpoint/url`` elsewhere is refused with ``RequestError/leavesEnvironment(host:environment:)``.
    case environment
}

/// Where a channel speaks to, and on what terms.
public struct APIEnvironment: Sendable {
    public var type: any EnvironmentType
    public var name: String
    /// An absolute URL; empty where every endpoint names its own.
    public var baseURL: String {
        didSet { base = Self.parse(baseURL) }
    }
    /// ``baseURL`` as every request begins with it.
    private(set) var base: Result<HTTPURL, RequestError>
    /// Which base URL a request uses where an endpoint or a ``BaseURL`` names another base URL. Default ``BaseURLRule/endpoint``.
    ///
    /// An environment that may be simulated (``isSimulated``) always wins, so that a test or a sandbox never reaches the real
    /// thing: a request that would leave it all the same, by an absolute address or a redirect, is refused.
    public var baseURLRule: BaseURLRule
    /// Sent with every request; an endpoint's own header of the same name wins.
    public var commonHeaders: Headers
    /// Sent with the requests of a group of endpoints, which names itself by a ``HeaderGroup`` modifier; they win over the common
    /// ones.
    public var specificHeaders: [String: Headers]
    public var cachePolicy: CachePolicy
    public var serverTrustManager: ServerTrustManager
    /// What answers in the place of the network. Default `.none`: the network itself.
    public var fixturesType: FixturesType
    /// Whether clear text http may be spoken, to any host. Default `false`.
    public var allowsInsecureConnections: Bool
    /// Hosts to which clear text http may be spoken all the same, a printer in the shop for instance. Default none.
    public var insecureHosts: Set<String> = []
    /// Whether something else stands in for the real thing, so that credentials that are missing are no error. From ``type`` at
    /// first; a channel that is swapped in a test is simulated, too.
    public var isSimulated: Bool

    public init(
        _ type: any EnvironmentType, name: String? = nil, baseURL: String? = nil, commonHeaders: Headers = [:],
        specificHeaders: [String: Headers] = [:], cachePolicy: CachePolicy = .protocolDefault, fixturesType: FixturesType = .none,
        serverTrustManager: ServerTrustManager = .system, allowsInsecureConnections: Bool = false,
        baseURLRule: BaseURLRule = .endpoint
    ) {
        self.type = type
        self.name = name ?? type.name
        self.baseURL = baseURL ?? type.baseURL
        base = Self.parse(self.baseURL)
        self.commonHeaders = commonHeaders
        self.specificHeaders = specificHeaders
        self.cachePolicy = cachePolicy
        self.fixturesType = fixturesType
        self.serverTrustManager = serverTrustManager
        self.allowsInsecureConnections = allowsInsecureConnections
        self.baseURLRule = baseURLRule
        isSimulated = type.isSimulated
    }
}

extension APIEnvironment {
    private static func parse(_ text: String) -> Result<HTTPURL, RequestError> {
        Result { () throws(RequestError) in try HTTPURL(text) }
    }

    /// The problem of a call whose endpoint has no base URL either.
    var missingBase: String { "the environment '\(name)' has no base URL; expected one there or of the endpoint" }

    /// Whether its own base URL comes before those of endpoints and modifiers.
    var isBaseFirst: Bool { (isSimulated || baseURLRule == .environment) && !baseURL.isEmpty }

    /// Whether clear text http may be spoken to a host.
    public func allowsInsecureConnections(to host: String) -> Bool {
        allowsInsecureConnections || (!insecureHosts.isEmpty && insecureHosts.contains { $0.lowercased() == host })
    }

    /// An environment that no enum declares: one of a tool's own, or of a test.
    ///
    /// - Parameters:
    ///   - name: stands in logs and errors.
    ///   - baseURL: as in ``EnvironmentType/baseURL``.
    ///   - isSimulated: as in ``EnvironmentType/isSimulated``.
    ///   - fixturesType: what answers in the place of the network.
    public init(_ name: String, baseURL: String, isSimulated: Bool = false, fixturesType: FixturesType = .none) {
        self.init(NamedEnvironment(name: name, baseURL: baseURL, isSimulated: isSimulated), fixturesType: fixturesType)
    }

    /// This environment with the headers of another one on top. If both define a header, the other's value wins. Everything else
    /// stays.
    public func merging(_ other: APIEnvironment) -> APIEnvironment {
        merging(commonHeaders: other.commonHeaders, specificHeaders: other.specificHeaders)
    }

    /// This environment with the headers of another on top. If both define a header, the other's value wins. For what several
    /// environments share.
    public func merging(commonHeaders: Headers = [:], specificHeaders: [String: Headers] = [:]) -> APIEnvironment {
        var merged = self
        merged.commonHeaders = self.commonHeaders.merging(commonHeaders)
        merged.specificHeaders.merge(specificHeaders) { $0.merging($1) }
        return merged
    }
}

private struct NamedEnvironment: EnvironmentType {
    let name: String
    let baseURL: String
    let isSimulated: Bool
}

/// Says that a request belongs to a group for which the environment has headers of its own; see
/// ``APIEnvironment/specificHeaders``. Groups of several levels add up.
public struct HeaderGroup: RequestModifier, Hashable {
    public let key: String

    /// - Parameter key: as in ``APIEnvironment/specificHeaders``; a group that the environment does not know has no headers
    ///   there.
    public init(_ key: String) {
        self.key = key
    }
}

/// Lets every networker of a channel speak to another environment from its next call on, without being made anew: a debug menu's
/// switch from production to staging.
///
/// ```swift
/// let place = EnvironmentSwitch(Channel.dl.environment)
/// channel.environmentSwitch = place
/// // later, from anywhere
/// place.environment = Channel.dl.at(.staging).environment
/// place.update { $0.commonHeaders["X-Experiment"] = "basket-2" }
/// ```
///
/// May be used from any thread. A call that is under way stays where it began.
// `@unchecked`: `current` is touched under `lock` only.
public final class EnvironmentSwitch: @unchecked Sendable {
    private let lock = NSLock()
    private var current: APIEnvironment

    /// - Parameter environment: where to speak to at first.
    public init(_ environment: APIEnvironment) {
        current = environment
    }

    /// Where calls that begin now speak to. A change in place, `environment.commonHeaders["X"] = "1"`, loses no other change: it
    /// is one step for every other thread. It must not come back to this switch, nor wait; use ``update(_:)`` for more than an
    /// assignment.
    public var environment: APIEnvironment {
        get { lock.withLock { current } }
        set { lock.withLock { current = newValue } }
        _modify {
            lock.lock()
            defer { lock.unlock() }
            yield &current
        }
    }

    /// Changes the environment in one step for every other thread.
    ///
    /// - Parameter change: must not come back to this switch.
    public func update<Result>(_ change: (inout APIEnvironment) throws -> Result) rethrows -> Result {
        try lock.withLock { try change(&current) }
    }
}
