internal import CoreAPIHTTP
public import CoreAPITrust

/// A channel's server, with its headers, trust and fixtures. A literal is a base URL: `"https://api.shop.example"`.
public struct APIEnvironment: Sendable {
    /// The environment type that this value was made from.
    public var type: any EnvironmentType
    /// Appears in logs and errors. Initially that of ``type``.
    public var name: String
    /// An absolute URL; empty if every endpoint names its own, as a base URL or as a path that is a whole address.
    public var baseURL: String { didSet { base = Self.parse(baseURL) } }
    private(set) var base: Result<HTTPURL, RequestError>
    /// Whether ``baseURL`` comes before that of an endpoint and a ``BaseURL``, for example for staging with endpoints that name
    /// production. Default `false`. ``BaseURL/ignore`` still applies, and an endpoint whose whole ``Endpoint/url`` leads
    /// elsewhere is rejected with ``RequestError/leavesEnvironment(host:environment:)``. A simulated environment
    /// (``isSimulated``) always comes first, so that a test or a sandbox never reaches the real server: a request to another
    /// origin, by an absolute address or a redirect, is rejected.
    public var overridesBaseURLs: Bool
    /// Sent with every request; an endpoint's own header of the same name wins.
    public var commonHeaders: Headers
    /// Sent with the requests of a group of endpoints (``HeaderGroup``); they win over the common ones.
    public var specificHeaders: [String: Headers]
    /// How requests use caches on their way. Default ``CachePolicy/protocolDefault``.
    public var cachePolicy: CachePolicy
    /// The authorities and pins for the hosts. Default ``ServerTrustManager/system``.
    public var serverTrustManager: ServerTrustManager
    /// What answers instead of the network. Default `.none`: the network itself.
    public var fixturesType: FixturesType
    /// Whether clear-text http is allowed to any host. Initially that of ``type``. Certificates are verified all the same.
    public var allowsInsecureConnections: Bool
    /// Hosts to which clear-text http is allowed all the same, such as a printer in the shop. Default none.
    public var insecureHosts: Set<String> = []
    /// Whether something replaces the real server, so that missing credentials are no error. Initially that of ``type``; a
    /// channel that a test replaces is simulated, too.
    public var isSimulated: Bool

    /// Makes an environment from a type. A given `name`, `baseURL` or `allowsInsecureConnections` replaces that of the type.
    public init(
        _ type: any EnvironmentType, name: String? = nil, baseURL: String? = nil, commonHeaders: Headers = [:],
        specificHeaders: [String: Headers] = [:], cachePolicy: CachePolicy = .protocolDefault, fixturesType: FixturesType = .none,
        serverTrustManager: ServerTrustManager = .system, allowsInsecureConnections: Bool? = nil,
        overridesBaseURLs: Bool = false
    ) {
        self.type = type
        self.name = name ?? type.name
        self.baseURL = baseURL ?? type.baseURL
        base = Self.parse(self.baseURL)
        (self.commonHeaders, self.specificHeaders, self.cachePolicy) = (commonHeaders, specificHeaders, cachePolicy)
        (self.fixturesType, self.serverTrustManager) = (fixturesType, serverTrustManager)
        self.allowsInsecureConnections = allowsInsecureConnections ?? type.allowsInsecureConnections
        (self.overridesBaseURLs, isSimulated) = (overridesBaseURLs, type.isSimulated)
    }

    private static func parse(_ text: String) -> Result<HTTPURL, RequestError> {
        Result { () throws(RequestError) in try HTTPURL(text) }
    }

    var missingBase: String { "the environment '\(name)' has no base URL; expected one there or of the endpoint" }
    /// Whether its own base URL comes before those of endpoints and modifiers.
    var isBaseFirst: Bool { (isSimulated || overridesBaseURLs) && !baseURL.isEmpty }

    /// Whether clear-text http is allowed to a host.
    public func allowsInsecureConnections(to host: String) -> Bool {
        allowsInsecureConnections || (!insecureHosts.isEmpty && insecureHosts.contains { $0.lowercased() == host })
    }

    /// An environment without an enum: one of a channel's hosts, whose name is that in the table, or one for a tool or a test.
    public init(
        _ name: String = "", baseURL: String, isSimulated: Bool = false, fixturesType: FixturesType = .none,
        serverTrustManager: ServerTrustManager = .system, allowsInsecureConnections: Bool = false
    ) {
        self.init(
            NamedEnvironment(name: name, baseURL: baseURL, isSimulated: isSimulated), fixturesType: fixturesType,
            serverTrustManager: serverTrustManager, allowsInsecureConnections: allowsInsecureConnections)
    }

    /// The sandbox server on this machine, at its usual port, with the channel's path: `.local("ty")`. Simulated; trusts only the
    /// authority that the server makes.
    public static func local(_ path: String) -> APIEnvironment {
        APIEnvironment(baseURL: "https://localhost:8443/\(path)", isSimulated: true, serverTrustManager: .localSandbox)
    }

    func named(_ name: String) -> APIEnvironment {
        var copy = self
        copy.name = name
        if let type = type as? NamedEnvironment {
            copy.type = NamedEnvironment(name: name, baseURL: type.baseURL, isSimulated: type.isSimulated)
        }
        return copy
    }

    /// Takes each setting of another environment that differs from `table`'s.
    mutating func take(from other: APIEnvironment, unlessIn table: APIEnvironment) {
        self = merging(
            commonHeaders: other.commonHeaders.subtracting(table.commonHeaders),
            specificHeaders: Dictionary(
                uniqueKeysWithValues: other.specificHeaders.map { ($0, $1.subtracting(table.specificHeaders[$0] ?? [:])) }))
        if other.cachePolicy != table.cachePolicy { cachePolicy = other.cachePolicy }
        if other.overridesBaseURLs != table.overridesBaseURLs { overridesBaseURLs = other.overridesBaseURLs }
        insecureHosts.formUnion(other.insecureHosts.subtracting(table.insecureHosts))
        serverTrustManager.take(
            from: other.serverTrustManager, unlessIn: table.serverTrustManager, authorities: !other.isSimulated && !isSimulated)
    }

    /// This environment with the headers of another one on top, whose values win. Everything else is unchanged.
    public func merging(_ other: APIEnvironment) -> APIEnvironment {
        merging(commonHeaders: other.commonHeaders, specificHeaders: other.specificHeaders)
    }

    /// This environment with further headers on top, for example some that several environments share. The further values win.
    public func merging(commonHeaders: Headers = [:], specificHeaders: [String: Headers] = [:]) -> APIEnvironment {
        var merged = self
        merged.commonHeaders = self.commonHeaders.merging(commonHeaders)
        merged.specificHeaders.merge(specificHeaders) { $0.merging($1) }
        return merged
    }

    /// Assigns a request to a group of ``APIEnvironment/specificHeaders``. Groups of several levels add up.
    public struct HeaderGroup: RequestModifier, Hashable {
        /// The group's name in ``APIEnvironment/specificHeaders``.
        public let key: String

        /// Names a group. An environment that does not know it adds no headers.
        public init(_ key: String) { self.key = key }
    }

    /// Moves every networker of a channel to another environment, from its next call on, for example by a debug menu.
    ///
    /// ```swift
    /// let place = APIEnvironment.Switch(Channel.dl.environment)
    /// channel.environmentSwitch = place
    /// // later, from anywhere
    /// place.environment = Channel.dl.at(.staging).environment
    /// place.update { $0.commonHeaders["X-Experiment"] = "basket-2" }
    /// ```
    ///
    /// The channel keeps all else, and a running call the environment in which it began. May be used from any thread.
    // `@unchecked`: `current` is touched under `lock` only.
    public final class Switch: @unchecked Sendable {
        private let lock = ManualLock()
        private var current: APIEnvironment

        /// Makes a switch that stands at an environment.
        public init(_ environment: APIEnvironment) { current = environment }

        /// The environment of calls that begin now. A change in place, `environment.commonHeaders["X"] = "1"`, is atomic. Its
        /// code must not use this switch, nor wait; use ``update(_:)`` for more than an assignment.
        public var environment: APIEnvironment {
            get { read() }
            set { update { $0 = newValue } }
            _modify {
                lock.lock()
                let earlier = current
                defer {
                    lock.unlock()
                    withExtendedLifetime(earlier) {}
                }
                yield &current
            }
        }

        // Not inlined: the large copy would lie in the frame of each call.
        @inline(never)
        private func read() -> APIEnvironment {
            lock.lock()
            defer { lock.unlock() }
            return current
        }

        /// Changes the environment atomically. `change` must not use this switch.
        public func update<Result>(_ change: (inout APIEnvironment) throws -> Result) rethrows -> Result {
            lock.lock()
            // Dies outside the lock, because the deinit of an environment's type may use the switch.
            let earlier = current
            defer {
                lock.unlock()
                withExtendedLifetime(earlier) {}
            }
            return try change(&current)
        }
    }
}

extension APIEnvironment: ExpressibleByStringLiteral {
    /// The environment at a base URL.
    public init(stringLiteral baseURL: String) { self.init(baseURL: baseURL) }
}

private struct NamedEnvironment: EnvironmentType {
    let name: String
    let baseURL: String
    let isSimulated: Bool
}
