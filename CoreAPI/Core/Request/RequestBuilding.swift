public import HTTPTypes

extension Request {
    /// Builds and encodes what an endpoint describes.
    ///
    /// The base URL is the endpoint's own, else the nearest ``BaseURL``, else the environment's. What several levels attach is put
    /// into one list, farthest first: environment, channel, endpoint.
    init(_ endpoint: any Endpoint, call: Call) throws(RequestError) {
        let environment = call.channel.environment
        var modifiers: [any RequestModifier] = []
        if !environment.commonHeaders.isEmpty { modifiers.append(environment.commonHeaders) }
        if environment.cachePolicy != .protocolDefault { modifiers.append(environment.cachePolicy) }
        let groups = (call.channel.modifiers + endpoint.modifiers).compactMap { ($0 as? HeaderGroup)?.key }
        modifiers += groups.compactMap { environment.specificHeaders[$0] } as [any RequestModifier]
        modifiers += call.channel.modifiers
        let nearest = modifiers.endIndex
        modifiers += endpoint.modifiers
        let headers = endpoint.headers
        if !headers.isEmpty { modifiers.append(headers) }

        let endpointBase = endpoint.baseURL
        let base = try Self.base(call.channel.modifiers, endpoint.modifiers)
        let isPathAbsolute = endpointBase.isEmpty && base != nil && base?.string == nil
        var url = try HTTPURL(
            isPathAbsolute ? endpoint.path : endpointBase.isEmpty ? base?.string ?? environment.baseURL : endpointBase)
        if url.scheme == .http, !environment.allowsInsecureConnections {
            throw .insecureConnection(host: url.host)
        }
        if !isPathAbsolute { try url.append(path: endpoint.path) }

        self.init(call: call, method: endpoint.method, url: url, modifiers: modifiers)
        guard let parameters = endpoint.params else { return }
        try endpoint.encoding(parameters, into: &self)
        // The type of what was encoded belongs to the endpoint: it wins over the channel's headers and loses to the endpoint's own.
        if let type = self.headers[.contentType] { self.modifiers.insert(Header("Content-Type", type), at: nearest) }
    }
}

extension Request {
    /// The base URL that the modifiers of several levels, farthest first, come to.
    private static func base(_ levels: [any RequestModifier]...) throws(RequestError) -> BaseURL? {
        var found: BaseURL?
        for level in levels {
            let bases = level.compactMap { $0 as? BaseURL }
            guard let highest = bases.map(\.priority).max() else { continue }
            let candidates = Set(bases.filter { $0.priority == highest })
            guard let candidate = candidates.first, candidates.count == 1 else {
                throw .conflictingBaseURLs(candidates.map { $0.string ?? "none" }.sorted())
            }
            if let farther = found, farther.priority > candidate.priority { continue }
            found = candidate
        }
        return found
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
