public import HTTPTypes

/// One request on its way down the pipeline: built from an ``Endpoint`` and a ``Channel``, changed by enhancers and interceptors,
/// sent by a ``Transport``.
public struct Request: Sendable {
    /// The call that this request is an attempt of.
    public internal(set) var call: Call {
        get { fields.value.call }
        set { fields.value.call = newValue }
    }
    /// Any token of RFC 9110 §9; a method of the team's own too.
    public var method: HTTPRequest.Method {
        get { fields.value.method }
        set { fields.value.method = newValue }
    }
    // Changed in place are only those that are large: it takes a coroutine, which is a malloc.

    /// The checked address, its query included.
    public var url: HTTPURL {
        _read { yield fields.value.url }
        _modify { yield &fields.value.url }
    }
    /// The fields that will be sent besides those that HTTP itself needs. For a value that came from outside use
    /// ``setHeader(_:_:)``: `HTTPFields` replaces control characters by spaces without a word.
    public var headers: HTTPFields {
        _read { yield fields.value.headers }
        _modify { yield &fields.value.headers }
    }
    public var body: RequestBody {
        get { fields.value.body }
        set { fields.value.body = newValue }
    }
    /// What channel, provider and endpoint attached, farthest first.
    public var modifiers: [any RequestModifier] {
        _read { yield fields.value.modifiers }
        _modify { yield &fields.value.modifiers }
    }
    public var timeout: Timeout {
        get { fields.value.timeout }
        set { fields.value.timeout = newValue }
    }
    /// 1 for the first attempt.
    public private(set) var attempt: Int {
        get { fields.value.attempt }
        set { fields.value.attempt = newValue }
    }
    /// Set where a completion hears of the call.
    var retryDoor: RetryDoor? {
        get { fields.value.retryDoor }
        set { fields.value.retryDoor = newValue }
    }

    private struct Fields {
        var call: Call
        var method: HTTPRequest.Method
        var url: HTTPURL
        var headers: HTTPFields
        var body: RequestBody
        var modifiers: [any RequestModifier]
        var timeout: Timeout
        var attempt: Int
        var retryDoor: RetryDoor?
    }

    private var fields: CopyOnWrite<Fields>

    /// A request made by hand; the pipeline makes them from endpoints.
    public init(
        call: Call, method: HTTPRequest.Method, url: consuming HTTPURL, headers: HTTPFields = [:], body: RequestBody = .none,
        modifiers: [any RequestModifier] = [], timeout: Timeout = Timeout(), attempt: Int = 1
    ) {
        fields = CopyOnWrite(
            Fields(
                call: call, method: method, url: url, headers: headers, body: body, modifiers: modifiers, timeout: timeout,
                attempt: attempt))
    }

    /// The same request as another attempt. Not inlined: the pipeline would keep room for its temporaries.
    @inline(never)
    func numbered(_ attempt: Int) -> Request {
        var request = self
        request.attempt = attempt
        return request
    }

    /// The nearest ``BodyCoder``, else the channel's.
    public var coder: BodyCoder { modifier() ?? call.shared.coder }

    /// When the whole call must be over: ``Timeout/total`` after it began, in a year at the latest.
    public var deadline: ContinuousClock.Instant {
        call.started + min(timeout.total, .seconds(365 * 86_400))
    }

    /// Replaces a header after checking name and value.
    ///
    /// - Throws: ``RequestError/malformedHeader(name:reason:)``.
    public mutating func setHeader(_ name: String, _ value: String) throws(RequestError) {
        let field = try HTTPField(checking: name, value: value)
        headers[field.name] = field.value
    }

    /// Asks for an answer that the coder can read.
    mutating func accept(_ coder: BodyCoder) {
        guard !fields.value.headers.isEmpty else { return fields.value.headers = coder.accepting }
        fields.value.headers[.accept] = coder.contentType
    }

    /// The nearest modifier of a type: the endpoint's before the provider's before the channel's.
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
    /// Whether sending it twice means the same as once (RFC 9110 §9.2.2). A method that is not known is not.
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
