public import CoreAPICookies
internal import CoreAPIHTTPSupport

/// Configures access to one backend: hosts, credentials, hooks and limits. A value: it can be copied, changed, compared and
/// swapped.
///
/// ```swift
/// let shop = Channel("Shop", hosts: [.production: "https://api.shop.example", .sandbox: .local("shop")])
///     .credential(.header("x-api-key", .environment("SHOP_API_KEY", sandbox: "sandbox-key")))
///     .payload("result", error: ShopEnvelope.self) { envelope, _ in envelope.error }
/// ```
///
/// ``problems`` lists what is wrong with a channel. A dispatcher finds them once, when it is made; every call through a channel
/// that has problems then fails with ``APIClientError/channel(problems:_:)`` before anything is sent.
public struct Channel: Sendable, ChannelSpellings {
    /// Stands in logs and errors, and is what ``NetworkManager`` looks a test's override up by.
    public var name: String
    public var environment: APIEnvironment
    /// Where calls speak to instead of ``environment``, asked at the beginning of each.
    public var environmentSwitch: EnvironmentSwitch?
    /// What the channel is, in a few words.
    public var summary = ""
    /// Where else the channel can speak to; see ``at(_:credentials:)``.
    public var hosts: ChannelHosts = [:]
    /// The values of the channel's secrets. Default `nil`: those of the sandbox there, else the process's environment.
    public var credentials: ChannelCredentials?
    /// Where in every answer the value lies, as in `data.items`, unless an ``Endpoint/keyPath`` says otherwise; empty, the
    /// default, for the whole body.
    public var payload = ""
    /// Attached to every request of the channel, farthest of all.
    public var modifiers: [any RequestModifier] = []
    /// Run besides the built-in ones, in the order of their priorities.
    public var enhancers: [any RequestEnhancer] = []
    /// Stand around each call, the first one outermost; see ``Middleware``.
    public var callMiddleware: [any Middleware] = []
    /// Stand around each attempt, the first one outermost, and see the request of each redirect, too; see ``Middleware``.
    public var attemptMiddleware: [any Middleware] = []
    /// Adapt in this order; the first that wants a retry gets it.
    public var interceptors: [any RequestInterceptor] = []
    /// Turns the channel's error envelope into its typed error.
    public var errorFilter: ErrorFilter = .none
    /// Asked about what is still an error after the interceptors.
    public var errorHandler: any ErrorHandler = NoErrorHandler()
    /// Told of the outcome before the caller is.
    public var resultHandler: ResultHandler = .none
    /// The first listener, where one that knows only ``NetworkEvent`` is enough. Default silent.
    public var logger: any NetworkLogger = SilentLogger()
    /// Hear of each call, in this order, after ``logger``; see ``Listener``.
    public var listeners: [any Listener] = []
    public var coder: BodyCoder = .json
    /// How parameters become a query or a form, unless an endpoint's encoding says otherwise. Default ``QueryStyle/standard``; a
    /// backend that is used to Alamofire wants ``QueryStyle/alamofire``.
    public var query = QueryStyle.standard
    /// Names that hold secrets in this channel, besides the standard ones.
    public var redaction = Redaction()
    /// Names of header fields that a redirect takes to another origin, besides those that are known to be harmless, such as
    /// `Accept` and `User-Agent`. Compared without case. Default none: any field may be a credential. `Host` never goes along.
    public var fieldsForOtherOrigins: Set<String> = []
    /// Keeps the cookies that servers set and sends them back. Default `nil`: none is kept and none is sent.
    ///
    /// A jar is shared by copies of the channel that have it; give each channel one of its own, so that channels do not share
    /// logins. The kit's own transports ask it; a transport of a team's own sees no cookies unless it does.
    public var cookies: CookieJar?
    /// Bounds on answers, attempts and connections. A transport may have bounds of its own for connections and queue.
    public var limits: Limits
    /// Owns the connections; one per channel, so that channels cannot starve each other.
    public var transport: any Transport
    /// Whether it stands in for another one, and must not be replaced in turn.
    var isOverride = false
    /// Where completions run that belong to no actor. Default the main queue.
    public var callbackQueue: CallbackQueue = .main

    /// - Parameters:
    ///   - name: stands in logs and errors.
    ///   - environment: where to speak to, and on what terms.
    ///   - limits: what the network may do to the channel.
    ///   - transport: carries the channel's requests.
    package init(name: String, environment: APIEnvironment, limits: Limits = Limits(), transport: any Transport) {
        self.name = name
        self.environment = environment
        self.limits = limits
        self.transport = transport
    }

    /// Ends the channel's connections; requests in flight fail with ``TransportError/closed``.
    public func close() async {
        await transport.close()
    }
}

extension Channel {
    private static var isDebugBuild: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }

    /// What works today and may not one day, in words: logged once when the channel's transport first uses it.
    public var warnings: [String] {
        let trust = environment.serverTrustManager
        guard !trust.pins.isEmpty else {
            return trust.expectsPins && trust.isPinningActive
                ? ["pinning is active for the environment '\(environment.name)', but its server trust manager has no pins"] : []
        }
        return trust.pins.warnings
            + (trust.isPinningActive ? [] : ["pinning is switched off for the environment '\(environment.name)'"])
    }

    /// What makes the channel unusable, in words; empty when it is sound. A missing base URL is a problem of those calls only
    /// whose endpoint names none either.
    public var problems: [String] {
        findProblems(isDebugBuild: Self.isDebugBuild) + (environment.baseURL.isEmpty ? [environment.missingBase] : [])
    }

    /// What fails every call.
    var problemsOfAllCalls: [String] { findProblems(isDebugBuild: Self.isDebugBuild) }

    func findProblems(isDebugBuild: Bool) -> [String] {
        var problems = limits.problems + environment.serverTrustManager.pins.problems
        if environment.fixturesType.transport != nil, !environment.isSimulated {
            problems.append("the environment '\(environment.name)' has fixtures but may not be simulated")
        }
        let trust = environment.serverTrustManager
        if !trust.isPinningActive, !trust.pins.isEmpty, !environment.isSimulated, !isDebugBuild {
            problems.append(
                "pinning is switched off, which the environment '\(environment.name)' may only be when it is simulated")
        }
        if name.isEmpty { problems.append("the channel has no name") }
        do throws(RequestError) {
            // An environment may leave the base URL to its endpoints.
            let url = environment.baseURL.isEmpty ? nil : try environment.base.get()
            if url?.query != nil { problems.append("the base URL '\(environment.baseURL)' has a query") }
            if let url, url.scheme == .http, !environment.allowsInsecureConnections(to: url.host) {
                problems.append(RequestError.insecureConnection(host: url.host).readableDescription)
            }
            for headers in [environment.commonHeaders] + environment.specificHeaders.values { _ = try headers.fields() }
        } catch {
            problems.append(error.readableDescription)
        }
        return problems
    }
}
