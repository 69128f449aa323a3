public import CoreAPIHTTPSupport
public import HTTPTypes

/// One request on its way down the pipeline: built from an ``Endpoint`` and a ``Channel``, changed by enhancers and interceptors,
/// sent by a ``Transport``.
public struct Request: Sendable {
    /// The call that this request is an attempt of.
    public internal(set) var call: Call
    /// Any token of RFC 9110 §9; a custom method, too.
    public var method: HTTPRequest.Method
    /// The checked address, its query included.
    public var url: HTTPURL
    /// The fields that are sent besides those that HTTP itself needs. For a value from outside use ``setHeader(_:_:)``:
    /// `HTTPFields` silently replaces control characters by spaces.
    public var headers: HTTPFields
    /// The body to send.
    public var body: Body
    /// The modifiers of environment, channel, provider, endpoint and call, farthest first.
    public var modifiers: [any RequestModifier]
    /// How long the call and each attempt may take.
    public var timeout: Timeout
    /// 1 for the first attempt.
    public internal(set) var attempt: Int

    /// A request without an endpoint; the pipeline makes requests from endpoints.
    public init(
        call: Call, method: HTTPRequest.Method, url: HTTPURL, headers: HTTPFields = [:], body: Body = .none,
        modifiers: [any RequestModifier] = [], timeout: Timeout = Timeout(), attempt: Int = 1
    ) {
        self.call = call
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.modifiers = modifiers
        self.timeout = timeout
        self.attempt = attempt
    }

    /// The part of the request that goes over the wire, as plain data; see ``WireRequest``.
    public var wire: WireRequest {
        get { WireRequest(method: method, url: url, headers: headers, body: body) }
        set { (method, url, headers, body) = (newValue.method, newValue.url, newValue.headers, newValue.body) }
    }

    /// The nearest ``BodyCoder``, else the channel's.
    public var coder: BodyCoder { modifier() ?? call.prepared.coder }

    /// When the whole call must be over: ``Timeout/total`` after its start, and at most a year.
    public var deadline: ContinuousClock.Instant { call.started + min(timeout.total, .year) }

    /// Asks for an answer that the coder can read.
    mutating func accept(_ coder: BodyCoder) {
        guard !headers.isEmpty else { return headers = coder.accepting }
        headers[.accept] = coder.contentType
    }

    /// The nearest modifier of a type: call over endpoint over provider over channel over environment.
    public func modifier<Modifier: RequestModifier>(_ type: Modifier.Type = Modifier.self) -> Modifier? {
        for modifier in modifiers.reversed() {
            if let found = modifier as? Modifier { return found }
        }
        return nil
    }

    /// Every modifier of a type, farthest first, so that applying them in order lets the nearest win.
    public func modifiers<Modifier: RequestModifier>(of type: Modifier.Type) -> [Modifier] {
        modifiers.compactMap { $0 as? Modifier }
    }
}

extension HTTPRequest.Method {
    /// Whether sending the request twice means the same as once (RFC 9110 §9.2.2). `false` for an unknown method.
    public var isIdempotent: Bool {
        switch self {
        case .get, .head, .options, .trace, .put, .delete: true
        default: self == .query
        }
    }

    /// Whether parameters go into the query rather than the body.
    var sendsParametersInQuery: Bool {
        switch self {
        case .get, .head, .options, .trace, .delete, .connect: true
        default: false
        }
    }
}

extension Request {
    /// Whether the request goes to the origin (scheme, host and port) of its environment or to one of the given origins.
    /// Middleware checks this before it adds a credential: a redirect, or an endpoint with its own base URL, may lead elsewhere.
    ///
    /// - Parameter origins: further origins, as in `https://files.example.com`.
    public func goesToEnvironment(or origins: [String] = []) -> Bool {
        ([call.channel.environment.baseURL] + origins).contains { origin in
            (try? HTTPURL(origin)).map(url.hasSameOrigin) ?? false
        }
    }
}
