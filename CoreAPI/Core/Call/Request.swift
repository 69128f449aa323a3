public import CoreAPICoding
public import CoreAPIHTTP
internal import Foundation
public import HTTPTypes

/// One request: built from an ``Endpoint`` and a ``Channel``, changed by enhancers and interceptors, sent by a ``Transport``.
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

    /// The part of the request that goes over the wire, as plain data; see ``Request/Wire``.
    public var wire: Request.Wire {
        get { Request.Wire(method: method, url: url, headers: headers, body: body) }
        set { (method, url, headers, body) = (newValue.method, newValue.url, newValue.headers, newValue.body) }
    }

    /// The nearest ``BodyCoder``, else the channel's.
    public var coder: BodyCoder { modifier() ?? call.prepared.coder }
    /// When the whole call must be over: ``Timeout/total`` after its start, and at most a year.
    public var deadline: ContinuousClock.Instant { call.started + min(timeout.total, .year) }

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

    /// Whether the request goes to the origin (scheme, host and port) of its environment, or to a further one, as in
    /// `https://files.example.com`. Middleware asks before it adds a credential: a redirect or an endpoint's own base URL may
    /// lead elsewhere.
    public func goesToEnvironment(or origins: [String] = []) -> Bool {
        if case .success(let base) = call.channel.environment.base, url.hasSameOrigin(as: base) { return true }
        return origins.contains { (try? HTTPURL($0)).map(url.hasSameOrigin) ?? false }
    }
}

extension HTTPRequest.Method {
    /// A method from text. Throws ``RequestError/malformedMethod(_:)`` for anything but a token (RFC 9110 §5.6.2).
    public init(checking text: String) throws(RequestError) {
        guard let method = Self(rawValue: text) else { throw .malformedMethod(text.escapingControls) }
        self = method
    }

    /// Whether sending the request twice means the same as once (RFC 9110 §9.2.2). `false` for an unknown method.
    public var isIdempotent: Bool {
        switch self {
        case .get, .head, .options, .trace, .put, .delete: true
        default: self == .query
        }
    }

    var sendsParametersInQuery: Bool {
        switch self {
        case .get, .head, .trace, .delete, .connect: true
        default: false
        }
    }
}

extension Request {
    /// The part of a request that goes over the wire, as plain data, for a cache's key, an outbox or a recording.
    ///
    /// ```swift
    /// let stored = try JSONEncoder().encode(attempt.request.wire)
    /// ```
    public struct Wire: Sendable, Codable {
        /// The method on the wire.
        public var method: HTTPRequest.Method
        /// The absolute address.
        public var url: HTTPURL
        /// The fields, in order; a name may occur several times.
        public var headers: HTTPFields
        /// The body. Bytes and files can be stored; encoding a stream throws `EncodingError.invalidValue`.
        public var body: Body

        /// Makes a request from its parts.
        public init(method: HTTPRequest.Method, url: HTTPURL, headers: HTTPFields = [:], body: Body = .none) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
        }

        private enum CodingKeys: CodingKey { case method, url, headers, body }

        /// Reads a request that ``encode(to:)`` wrote. Throws ``RequestError`` for a method or an address that may not be sent,
        /// `DecodingError.dataCorrupted` for more than 65,000 fields or a file URL that is not local, and the decoder's own
        /// errors.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            method = try HTTPRequest.Method(checking: container.decode(String.self, forKey: .method))
            url = try HTTPURL(container.decode(String.self, forKey: .url))
            let fields = try container.nestedUnkeyedContainer(forKey: .headers)
            // Counted first: `HTTPFields` traps.
            let count = try fields.count ?? container.decode([HTTPField].self, forKey: .headers).count
            guard count <= HTTPFields.limit else {
                throw DecodingError.dataCorruptedError(
                    forKey: .headers, in: container,
                    debugDescription: "\(count) header fields; expected at most \(HTTPFields.limit)")
            }
            headers = try container.decode(HTTPFields.self, forKey: .headers)
            body = try container.decode(Body.self, forKey: .body)
            guard case .file(let url) = body else { return }
            do {
                try url.checkIsLocalFile()
            } catch {
                throw DecodingError.dataCorruptedError(forKey: .body, in: container, debugDescription: error.readableDescription)
            }
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(method.rawValue, forKey: .method)
            try container.encode(url.string, forKey: .url)
            try container.encode(headers, forKey: .headers)
            try container.encode(body, forKey: .body)
        }
    }

    // MARK: - From an endpoint

    /// The modifiers of all levels form one list, farthest first: environment, channel, provider, endpoint, call.
    init(_ endpoint: any Endpoint, call: Call) throws(RequestError) {
        var levels = ModifierLevels()
        try levels.append(call.channel.modifiers)
        let ofChannel = levels.all.count
        for level in endpoint.modifierLevels { try levels.append(level) }
        var modifiers = call.prepared.modifiers(for: levels.all)
        let nearest = modifiers.count + ofChannel
        if !levels.all.isEmpty { modifiers += levels.all }

        let url = try Self.address(of: endpoint, levels.base, call.prepared)
        // Set one by one: a delegating initializer copies what it returns.
        (self.call, method, self.url, self.modifiers) = (call, endpoint.method, url, modifiers)
        (headers, body, timeout, attempt) = (HTTPFields(), .none, Timeout(), 1)
        // The parameters: by default a GET has them in its query, a POST in its body (InputEncoding.swift).
        try endpoint.encoding(endpoint.params ?? .absent, into: &self)
        // The encoded body's type wins over the channel's headers and loses to the endpoint's own.
        if let type = self.headers[.contentType] {
            self.modifiers.insert(Header("Content-Type", type), at: min(nearest, self.modifiers.count))
        }
    }

    /// The address of an endpoint's request: its own complete one if it has that, else its path below a base URL; see
    /// ``PreparedChannel/base(_:_:)``. Without any base, the path is the complete address.
    private static func address(
        of endpoint: any Endpoint, _ nearest: BaseURL?, _ channel: PreparedChannel
    ) throws(RequestError) -> HTTPURL {
        var url: HTTPURL
        let (base, path) = (endpoint.baseURL, endpoint.path)
        let own = endpoint.url
        if own != usualURL(base, path) {
            url = try HTTPURL(own)
            try channel.checkOrigin(of: url)
        } else if base.isEmpty, nearest?.isIgnoring == true || (nearest == nil && channel.isAddress(path)) {
            url = try HTTPURL(path)
        } else {
            url = try channel.base(base, nearest)
            try url.append(path: path)
        }
        guard url.scheme == .https || channel.allowsClearText(to: url) else { throw .insecureConnection(host: url.host) }
        return url
    }
}

/// The modifiers of several levels on their way into one list, farthest first.
struct ModifierLevels {
    private(set) var all: [any RequestModifier] = []
    /// The base URL that the levels select: the highest priority wins, then the nearest.
    private(set) var base: BaseURL?

    /// Adds a level nearer than those before it, unless it has duplicates or conflicting base URLs.
    mutating func append(_ level: [any RequestModifier]) throws(RequestError) {
        guard !level.isEmpty else { return }
        try Self.rejectDuplicates(level)
        try take(level.compactMap { $0 as? BaseURL }.filter { $0.string != nil || $0.isIgnoring })
        all += level
    }

    private static func rejectDuplicates(_ level: [any RequestModifier]) throws(RequestError) {
        guard level.count > 1 else { return }
        var seen: [any RequestModifier.Type] = []
        for type in level.map({ type(of: $0) }) where !type.allowsSeveral {
            guard !seen.contains(where: { $0 == type }) else { throw .duplicateModifier(type: "\(type)") }
            seen.append(type)
        }
    }

    private mutating func take(_ bases: [BaseURL]) throws(RequestError) {
        guard let highest = bases.map(\.priority).max() else { return }
        let candidates = Set(bases.filter { $0.priority == highest })
        guard let candidate = candidates.first, candidates.count == 1 else {
            throw .conflictingBaseURLs(candidates.map { $0.string ?? "none" }.sorted())
        }
        if let base, base.priority > candidate.priority { return }
        base = candidate
    }
}
