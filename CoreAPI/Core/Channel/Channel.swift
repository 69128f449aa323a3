public import CoreAPICoding
public import CoreAPICookies
internal import CoreAPIHTTP
public import CoreAPIRedaction
internal import CoreAPITrust
public import Foundation
internal import HTTPTypes

/// Configures access to one backend: hosts, credentials, hooks and limits. A value: it can be copied, changed and swapped.
///
/// ```swift
/// let shop = Channel("Shop", hosts: [.production: "https://api.shop.example", .sandbox: .local("shop")])
///     .credential(.header("x-api-key", .environment("SHOP_API_KEY", sandbox: "sandbox-key")))
///     .payload("result", error: ShopEnvelope.self) { envelope, _ in envelope.error }
/// ```
///
/// If a channel has ``problems``, every call fails with ``APIClientError/channel(problems:_:)`` before anything is sent. Only a
/// missing base URL leaves calls that have their own.
public struct Channel: Sendable {
    /// Appears in logs and errors. ``NetworkManager`` looks up a test's override by it.
    public var name: String
    /// The server, with its headers, trust and fixtures.
    public var environment: APIEnvironment
    /// Selects the environment instead of ``environment``; read at the start of each call.
    public var environmentSwitch: APIEnvironment.Switch?
    /// A few words about the channel.
    public var summary = ""
    /// The hosts that ``at(_:credentials:)`` selects from: `[.production: "https://api.shop.example", .sandbox: .local("shop")]`.
    public var hosts: KeyValuePairs<HostName, APIEnvironment> = [:]
    /// The values of the channel's secrets. Default `nil`: the sandbox's fixed values there, else the process's environment.
    public var credentials: Channel.Credentials?
    /// The path of the value in every response without an ``Endpoint/keyPath``, as in `data.items`. Empty for the whole body.
    public var payload = ""
    /// Attached to every request of the channel, as the farthest level.
    public var modifiers: [any RequestModifier] = []
    /// Run besides the built-in ones, in order of priority.
    public var enhancers: [any RequestEnhancer] = []
    /// Middleware that wraps each call, the first one outermost; see ``Middleware``.
    public var callMiddleware: [any Middleware] = []
    /// Middleware that wraps each attempt, the first one outermost, and the request of each redirect, too; see ``Middleware``.
    public var attemptMiddleware: [any Middleware] = []
    /// Adapt in this order; the first that wants a retry decides.
    public var interceptors: [any RequestInterceptor] = []
    /// Turns the channel's error envelope into its typed error.
    public var errorFilter: ErrorFilter = .none
    /// Decides about errors that remain after the interceptors.
    public var errorHandler: any ErrorHandler = CompositeErrorHandler()
    /// Receives the outcome before the caller.
    public var resultHandler: ResultHandler = .none
    /// The first listener. Default `nil`, which logs nothing; a channel made from hosts has a `CoreNetworkLogger`.
    public var logger: (any NetworkLogger)?
    /// Receive the events of each call, in this order, after ``logger``; see ``Listener``.
    public var listeners: [any Listener] = []
    /// Encodes the bodies of requests and decodes those of responses. Default ``BodyCoder/json``.
    public var coder: BodyCoder = .json
    /// How parameters become a query or a form. Backends built for Alamofire expect ``Parameters/QueryStyle/alamofire``.
    public var query = Parameters.QueryStyle.standard
    /// Names that hold secrets in this channel, besides the standard ones.
    public var redaction = Redaction()
    /// Names of header fields that a redirect takes to another origin, besides harmless ones such as `Accept` and the kit's own.
    /// Compared without case. Default none: any field may be a credential. `Host` never goes along.
    public var fieldsForOtherOrigins: Set<String> = []
    /// Keeps the cookies that servers set and sends them back, over every transport. Default `nil`: no cookie is kept or sent.
    /// Copies of a channel share its jar; give each channel its own, so that they do not share logins.
    public var cookies: CookieJar?
    /// Limits on responses, attempts and connections. A transport may have its own for connections and queue.
    public var limits: Limits
    /// Owns the connections. Each channel has its own, so that channels cannot starve each other.
    public var transport: any Transport
    /// Whether this channel replaces another one, and must not be replaced in turn.
    var isOverride = false
    /// Whether it was made for one call, whose own error a malformed base URL then is.
    var isForOneCall = false
    /// Where completions run that belong to no actor. Default the main queue.
    public var callbackQueue: CallbackQueue = .main

    package init(name: String, environment: APIEnvironment, limits: Limits = Limits(), transport: any Transport) {
        (self.name, self.environment, self.limits, self.transport) = (name, environment, limits, transport)
    }

    /// Ends the channel's connections; requests in flight fail with ``TransportError/closed``.
    public func close() async { await transport.close() }

    /// Settings that work today and may fail one day, in words. `CurlTransport` logs them for each new pool of connections.
    public var warnings: [String] {
        let trust = environment.serverTrustManager
        guard !trust.pins.isEmpty else {
            return trust.expectsPins && trust.isPinningActive
                ? ["pinning is active for the environment '\(environment.name)', but its server trust manager has no pins"] : []
        }
        return trust.pins.warnings
            + (trust.isPinningActive ? [] : ["pinning is switched off for the environment '\(environment.name)'"])
    }

    /// What makes the channel unusable, in words. A missing base URL is a problem only for calls whose endpoint has none.
    public var problems: [String] { problemsOfAllCalls + (environment.baseURL.isEmpty ? [environment.missingBase] : []) }

    /// Problems that fail every call.
    var problemsOfAllCalls: [String] {
        #if DEBUG
        findProblems(isDebugBuild: true)
        #else
        findProblems(isDebugBuild: false)
        #endif
    }

    func findProblems(isDebugBuild: Bool) -> [String] {
        let trust = environment.serverTrustManager
        var problems = limits.problems + trust.pins.problems
        if environment.fixturesType.transport != nil, !environment.isSimulated {
            let subject = "the environment '\(environment.name)'"
            problems.append("\(subject) has fixtures but is not simulated; set isSimulated, or remove the fixtures")
        }
        if !trust.isPinningActive, !trust.pins.isEmpty, !environment.isSimulated, !isDebugBuild {
            problems.append("pins are switched off in '\(environment.name)', which is not simulated; a release build needs them")
        }
        if name.isEmpty { problems.append("the channel has no name") }
        do throws(RequestError) {
            // An environment may leave the base URL to its endpoints.
            let url = environment.baseURL.isEmpty || isForOneCall ? try? environment.base.get() : try environment.base.get()
            if url?.query != nil { problems.append("the base URL '\(redaction.redact(base: environment.baseURL))' has a query") }
            if let url, url.scheme == .http, !environment.allowsInsecureConnections(to: url.host) {
                problems.append(RequestError.insecureConnection(host: url.host).readableDescription)
            }
            for headers in [environment.commonHeaders] + environment.specificHeaders.values { _ = try headers.fields() }
        } catch {
            problems.append(error.readableDescription)
        }
        return problems
    }

    package init(
        _ name: String, _ summary: String = "", hosts: KeyValuePairs<HostName, APIEnvironment>, transport: any Transport,
        logger: any NetworkLogger
    ) {
        let first = hosts.first.map { $0.value.named($0.key.rawValue) }
        self.init(name: name, environment: first ?? APIEnvironment(baseURL: ""), transport: transport)
        (self.summary, self.hosts, self.logger) = (summary, hosts, logger)
    }

    /// This channel at another of its hosts, with its own connections, tokens and cookies, and with other credentials if some are
    /// given. Keep it; do not make it for each call.
    ///
    /// Hooks and limits stay, and so does each setting of the environment that was set manually: a header, a cache policy, trust,
    /// an entry of ``APIEnvironment/insecureHosts``. What ``hosts`` has belongs to a host, as do its address, its fixtures and
    /// whether it allows clear text. Authorities never move to or from a simulated host. Calls to a host that the channel does
    /// not have fail with ``APIClientError/channel(problems:_:)``.
    public func at(_ host: Channel.HostName, credentials: Channel.Credentials? = nil) -> Channel {
        var channel = isolated(transport: nil)
        // Where the switch is, if there is one.
        let now = channel.environment
        channel.environment = environment(at: host)
        channel.environment.take(from: now, unlessIn: environment(at: HostName(rawValue: now.name)))
        if let credentials { channel.credentials = credentials }
        return channel
    }

    private func environment(at host: HostName) -> APIEnvironment {
        hosts.first { $0.key == host }?.value.named(host.rawValue) ?? APIEnvironment(host.rawValue, baseURL: "")
    }

    /// This channel, changed: for the properties that have no method here.
    public func with(_ change: (inout Channel) -> Void) -> Channel {
        var channel = self
        change(&channel)
        return channel
    }

    /// This channel with a credential, added to each attempt at the origin of its environment.
    public func credential(_ credential: CredentialInterceptor) -> Channel { with { $0.interceptors.append(credential) } }

    /// This channel with headers for the language and country of responses, such as `tr_TR` under the name `icu` and `tr-TR`
    /// under the name `bcp47`. An endpoint's own headers win.
    public func locale(_ locale: Locale, icu: String? = nil, bcp47: String? = nil) -> Channel {
        with { channel in
            if let icu { channel.environment.commonHeaders[icu] = locale.identifier(.icu) }
            if let bcp47 { channel.environment.commonHeaders[bcp47] = locale.identifier(.bcp47) }
        }
    }

    /// This channel, with responses in envelopes: the path of the value, as in `data.items`, is its ``payload``, and `translate`
    /// finds the error in an envelope; see ``ErrorFilter/envelope(_:translate:)``.
    public func payload<Envelope: Decodable & SendableMetatype>(
        _ keyPath: String = "", error type: Envelope.Type,
        translate: @escaping @Sendable (Envelope, ResponseHead) -> (any Error)?
    ) -> Channel {
        with { channel in
            channel.payload = keyPath
            channel.errorFilter = .envelope(type, translate: translate)
        }
    }

    /// The name of one of a channel's hosts.
    public struct HostName: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
        /// The host of the live service.
        public static let production: Channel.HostName = "production"
        /// The host of the last test before a release.
        public static let staging: Channel.HostName = "staging"
        /// The sandbox server on this machine.
        public static let sandbox: Channel.HostName = "sandbox"
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
        public init(stringLiteral value: String) { self.init(rawValue: value) }
    }
}
