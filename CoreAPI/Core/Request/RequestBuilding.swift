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
        let nearestBase = modifiers.reversed().lazy.compactMap { $0 as? BaseURL }.first?.string
        var url = try HTTPURL(endpointBase.isEmpty ? nearestBase ?? environment.baseURL : endpointBase)
        if url.scheme == .http, !environment.allowsInsecureConnections {
            throw .insecureConnection(host: url.host)
        }
        try url.append(path: endpoint.path)

        self.init(call: call, method: endpoint.method, url: url, modifiers: modifiers)
        guard let parameters = endpoint.params else { return }
        try endpoint.encoding(parameters, into: &self)
        // The type of what was encoded belongs to the endpoint: it wins over the channel's headers and loses to the endpoint's own.
        if let type = self.headers[.contentType] { self.modifiers.insert(Header("Content-Type", type), at: nearest) }
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
