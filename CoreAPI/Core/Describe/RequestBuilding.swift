public import CoreAPIHTTPSupport
public import HTTPTypes

extension Request {
    /// Builds and encodes the request of an endpoint.
    ///
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
        self.init(call: call, method: endpoint.method, url: url, headers: HTTPFields(), modifiers: modifiers)
        // The parameters: by default a GET has them in its query, a POST in its body (InputEncoding.swift).
        try endpoint.encoding(endpoint.params ?? .absent, into: &self)
        // The type of the encoded body belongs to the endpoint. It wins over the channel's headers and loses to the endpoint's
        // own.
        if let type = self.headers[.contentType] { self.modifiers.insert(Header("Content-Type", type), at: nearest) }
    }

    /// The address of an endpoint's request: its own whole address if it has one, else its path below a base URL. The base is the
    /// endpoint's own, else the nearest ``BaseURL``, else the environment's. The environment's rule may put its own first.
    private static func address(
        of endpoint: any Endpoint, _ nearest: BaseURL?, _ channel: PreparedChannel
    ) throws(RequestError) -> HTTPURL {
        var url: HTTPURL
        let (base, path) = (endpoint.baseURL, endpoint.path)
        let whole = endpoint.url
        if whole != usualURL(base, path) {
            url = try HTTPURL(whole)
            try channel.check(whole: url)
        } else if nearest?.isIgnoring == true, base.isEmpty {
            url = try HTTPURL(path)
        } else {
            url = try channel.base(base, nearest)
            try url.append(path: path)
        }
        guard url.scheme == .https || channel.allowsClearText(to: url) else {
            throw .insecureConnection(host: url.host)
        }
        return url
    }
}

/// The modifiers of several levels on their way into one list, farthest first.
struct ModifierLevels {
    private(set) var all: [any RequestModifier] = []
    /// The base URL that the levels select: the highest priority wins, then the nearest.
    private(set) var base: BaseURL?

    /// Adds a level nearer than those before it.
    ///
    /// - Throws: ``RequestError/duplicateModifier(type:)``, ``RequestError/conflictingBaseURLs(_:)``.
    mutating func append(_ level: [any RequestModifier]) throws(RequestError) {
        guard !level.isEmpty else { return }
        try Self.refuseDuplicates(level)
        try take(level.compactMap { $0 as? BaseURL }.filter { $0.string != nil || $0.isIgnoring })
        all += level
    }

    private static func refuseDuplicates(_ level: [any RequestModifier]) throws(RequestError) {
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

extension HTTPRequest.Method {
    /// A method from text.
    ///
    /// - Throws: ``RequestError/malformedMethod(_:)`` for anything but a token (RFC 9110 §5.6.2).
    public init(checking text: String) throws(RequestError) {
        guard let method = Self(rawValue: text) else { throw .malformedMethod(text.escapingControls) }
        self = method
    }
}
