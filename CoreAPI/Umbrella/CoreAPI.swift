// Everything that users import: the core and the modules below it, fixtures, streams, and the platform's transport. The core
// itself contains no transport and no log, so a channel gets the defaults here. No other module exports another one.
@_exported public import CoreAPICoding
@_exported public import CoreAPICookies
@_exported public import CoreAPICore
@_exported public import CoreAPIFixtures
@_exported public import CoreAPIHTTP
@_exported public import CoreAPIRedaction
@_exported public import CoreAPIStreaming
@_exported public import CoreAPITrust
@_exported public import HTTPTypes

#if os(iOS)
@_exported public import CoreAPIURLSession

/// The transport of a channel that names none. iOS has no libcurl.
public typealias PlatformTransport = URLSessionTransport
#else
@_exported public import CoreAPICurl

/// The transport of a channel that names none: libcurl's, and `URLSessionTransport` on iOS.
public typealias PlatformTransport = CurlTransport
#endif

extension Channel {
    /// Makes a channel from an environment; a transport of `nil` is a separate ``PlatformTransport``. It logs nothing until it
    /// has a ``logger``.
    ///
    /// ```swift
    /// channel.logger = CoreNetworkLogger(subsystem: "com.shop.app", category: "shop")
    /// ```
    public init(
        name: String, environment: APIEnvironment, limits: Limits = Limits(), transport: (any Transport)? = nil
    ) {
        self.init(name: name, environment: environment, limits: limits, transport: transport ?? PlatformTransport())
    }

    /// A channel at the first of its hosts, of which ``at(_:credentials:)`` selects another. It logs to swift-log under the label
    /// `networkerkit.` and its name; `channel.logger = nil` silences it.
    public init(_ name: String, _ summary: String = "", hosts: KeyValuePairs<Channel.HostName, APIEnvironment>) {
        self.init(
            name, summary, hosts: hosts, transport: PlatformTransport(),
            logger: CoreNetworkLogger(subsystem: "networkerkit", category: name))
    }
}

extension APIClient {
    /// Makes a client. It logs nothing until `configure`, called once per request on the caller's thread, sets a
    /// ``Channel/logger``. A transport of `nil` is a separate ``PlatformTransport``, or inside `withChannel` the test's
    /// replacement.
    public init(transport: (any Transport)? = nil, configure: @escaping @Sendable (inout Channel) -> Void = { _ in }) {
        self.init(transport: transport ?? PlatformTransport(), isTransportGiven: transport != nil, configure: configure)
    }
}

extension CommonDispatcher {
    /// Makes an anonymous channel with the environment's name, for a team that has an environment and a few hooks. It logs
    /// nothing; a ``Channel`` with a ``Channel/logger`` does. A transport of `nil` is a separate one.
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
    /// Makes an anonymous channel, for a team that has only a host.
    ///
    /// ```swift
    /// let manager = NetworkManager<OrderEndpoint>(host: ShopHost.production, networkLogger: ShopLogger())
    /// ```
    ///
    /// - Parameters:
    ///   - transport: owns the connections; managers with the same transport share them. `nil` for a separate one.
    ///   - isSSLPinningActive: whether the pins in `serverTrustManager` are checked. If it is `true` and there are no pins, a
    ///     warning is logged once.
    ///   - host: names the channel and gives the base URL.
    ///   - serverTrustManager: the authorities and pins for the host; by default the system's, without pins.
    ///   - networkLogger: receives the events of every call; `nil` logs nothing.
    ///   - interceptor: adapts and retries.
    public init(
        transport: (any Transport)? = nil, isSSLPinningActive: Bool = true, host: any EnvironmentType,
        serverTrustManager: ServerTrustManager = .system, networkLogger: (any NetworkLogger)?,
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

    /// As above, with only the name of a host, used over https, or a whole base URL. It names the channel, too.
    ///
    /// ```swift
    /// let manager = NetworkManager<OrderEndpoint>(host: "api.example.com", networkLogger: ShopLogger(), interceptor: ShopAuth())
    /// ```
    public init(
        transport: (any Transport)? = nil, isSSLPinningActive: Bool = true, host: String,
        serverTrustManager: ServerTrustManager = .system, networkLogger: (any NetworkLogger)?,
        interceptor: (any RequestInterceptor)? = nil
    ) {
        self.init(
            transport: transport, isSSLPinningActive: isSSLPinningActive, host: HostText(name: host),
            serverTrustManager: serverTrustManager, networkLogger: networkLogger, interceptor: interceptor)
    }
}

/// A host given as text.
private struct HostText: EnvironmentType {
    let name: String
    var baseURL: String { name.contains("://") ? name : "https://\(name)" }
}
