// What users import: the core, fixtures, ready-made hooks, and the transport of the platform. The core itself knows no transport
// and no log, so a channel that names none gets them here.
@_exported public import CoreAPICore
@_exported public import CoreAPICurl
@_exported public import CoreAPIFixtures
@_exported public import CoreAPIHooks

extension Channel {
    /// - Parameters:
    ///   - name: stands in logs and errors.
    ///   - environment: where to speak to, and on what terms.
    ///   - limits: what the network may do to the channel.
    ///   - transport: `nil` for a ``CurlTransport`` of this channel's own.
    public init(
        name: String, environment: APIEnvironment, limits: Limits = Limits(), transport: (any Transport)? = nil
    ) {
        self.init(name: name, environment: environment, limits: limits, transport: transport ?? CurlTransport())
    }

    /// A channel at the first of its hosts, which logs to swift-log under the label `networkerkit.` and its name.
    ///
    /// - Parameters:
    ///   - name: stands in logs and errors.
    ///   - summary: what the channel is, in a few words.
    ///   - hosts: where it can speak to; ``at(_:credentials:)`` goes to another.
    public init(_ name: String, _ summary: String = "", hosts: ChannelHosts) {
        self.init(
            name, summary, hosts: hosts, transport: CurlTransport(),
            logger: CoreNetworkLogger(subsystem: "networkerkit", category: name))
    }
}

extension APIClient {
    /// - Parameters:
    ///   - transport: owns the connections; `nil` for a ``CurlTransport`` of the client's own, or inside `withChannel` for what
    ///     the test put in the place of a channel.
    ///   - configure: sets up hooks, a logger, a coder; called once per request, on the caller's thread.
    public init(transport: (any Transport)? = nil, configure: @escaping @Sendable (inout Channel) -> Void = { _ in }) {
        self.init(transport: transport ?? CurlTransport(), isTransportGiven: transport != nil, configure: configure)
    }
}

extension CommonDispatcher {
    /// Makes a channel on the spot, for a team that has an environment and a few hooks.
    ///
    /// - Parameters:
    ///   - environment: where to speak to, and on what terms; gives the channel its name.
    ///   - resultHandler: told of every outcome before the caller.
    ///   - errorFilter: finds and translates errors.
    ///   - interceptor: adapts and retries.
    ///   - transport: owns the connections; `nil` for one of this dispatcher's own.
    public init(
        environment: APIEnvironment, resultHandler: ResultHandler = .none, errorFilter: ErrorFilter = .none,
        interceptor: (any RequestInterceptor)? = nil, transport: (any Transport)? = nil
    ) {
        var channel = Channel(name: environment.name, environment: environment, transport: transport)
        channel.resultHandler = resultHandler
        channel.errorFilter = errorFilter
        channel.interceptors = interceptor.map { [$0] } ?? []
        self.init(onTheSpot: channel, isTransportGiven: transport != nil)
    }
}

extension NetworkManager {
    /// Makes a channel on the spot, for a team that has only a host.
    ///
    /// ```swift
    /// let manager = NetworkManager<OrderEndpoint>(host: ShopHost.production, networkLogger: ShopLogger())
    /// ```
    ///
    /// - Parameters:
    ///   - transport: owns the connections; managers that are given the same one share them. `nil` for one of this manager's own.
    ///   - isSSLPinningActive: whether the pins in `serverTrustManager` are checked. Active without any pins is a warning, logged
    ///     once.
    ///   - host: names the channel and gives the base URL.
    ///   - serverTrustManager: the authorities and pins for the host; the system's and none by default.
    ///   - networkLogger: hears of every call.
    ///   - interceptor: adapts and retries.
    public init(
        transport: (any Transport)? = nil, isSSLPinningActive: Bool = true, host: any EnvironmentType,
        serverTrustManager: ServerTrustManager = .system, networkLogger: any NetworkLogger,
        interceptor: (any RequestInterceptor)? = nil
    ) {
        var channel = Channel(
            name: host is HostText ? host.name : "\(type(of: host)).\(host.name)",
            environment: APIEnvironment(host, serverTrustManager: serverTrustManager.pinning(isSSLPinningActive)),
            transport: transport)
        channel.logger = networkLogger
        channel.interceptors = interceptor.map { [$0] } ?? []
        self.init(dispatcher: CommonDispatcher(onTheSpot: channel, isTransportGiven: transport != nil))
    }

    /// Makes a channel on the spot, for a team that has only the name of a host.
    ///
    /// ```swift
    /// let manager = NetworkManager<OrderEndpoint>(host: "api.example.com", networkLogger: ShopLogger(), interceptor: ShopAuth())
    /// ```
    ///
    /// - Parameters:
    ///   - transport: owns the connections; managers that are given the same one share them. `nil` for one of this manager's own.
    ///   - isSSLPinningActive: whether the pins in `serverTrustManager` are checked. Active without any pins is a warning, logged
    ///     once.
    ///   - host: a host, which is spoken to over https, or a whole base URL. Names the channel, too.
    ///   - serverTrustManager: the authorities and pins for the host; the system's and none by default.
    ///   - networkLogger: hears of every call.
    ///   - interceptor: adapts and retries.
    public init(
        transport: (any Transport)? = nil, isSSLPinningActive: Bool = true, host: String,
        serverTrustManager: ServerTrustManager = .system, networkLogger: any NetworkLogger,
        interceptor: (any RequestInterceptor)? = nil
    ) {
        self.init(
            transport: transport, isSSLPinningActive: isSSLPinningActive, host: HostText(name: host),
            serverTrustManager: serverTrustManager, networkLogger: networkLogger, interceptor: interceptor)
    }
}

/// A host that was given as text.
private struct HostText: EnvironmentType {
    let name: String
    var baseURL: String { name.contains("://") ? name : "https://\(name)" }
}
