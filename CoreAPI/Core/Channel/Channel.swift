public import CoreAPICoding
public import CoreAPICookies
internal import CoreAPIHTTP
public import CoreAPIRedaction
internal import CoreAPITrust

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
    /// Keeps the cookies that servers set and sends them back, over every transport. Default `nil`: none are kept nor sent.
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
        self.name = name
        self.environment = environment
        self.limits = limits
        self.transport = transport
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
    public var problems: [String] {
        problemsOfAllCalls + (environment.baseURL.isEmpty ? [environment.missingBase] : [])
    }

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
}
