public import HTTPTypes

extension Request {
    /// Builds and encodes what an endpoint describes.
    ///
    /// The base URL is the endpoint's own, else the nearest ``BaseURL``, else the environment's. What several levels attach is put
    /// into one list, farthest first: environment, channel, provider, endpoint, call.
    init(_ endpoint: borrowing any Endpoint, call: Call) throws(RequestError) {
        var levels = ModifierLevels()
        try levels.append(call.channel.modifiers)
        let ofChannel = levels.all.count
        for level in endpoint.modifierLevels { try levels.append(level) }
        var modifiers = call.shared.modifiers(for: levels.all)
        let nearest = modifiers.count + ofChannel
        if !levels.all.isEmpty { modifiers += levels.all }

        let endpointBase = endpoint.baseURL
        let isPathAbsolute = endpointBase.isEmpty && levels.base != nil && levels.base?.string == nil
        var url =
            if isPathAbsolute { try HTTPURL(endpoint.path) } else if !endpointBase.isEmpty {
                try HTTPURL(endpointBase)
            } else if let
                nearest = levels.base?.string
            { try HTTPURL(nearest) } else { try call.shared.channel.environment.base.get() }
        if url.scheme == .http, !call.shared.allowsInsecureConnections(to: url.host) {
            throw .insecureConnection(host: url.host)
        }
        if !isPathAbsolute { try url.append(path: endpoint.path) }

        self.init(call: call, method: endpoint.method, url: consume url, headers: HTTPFields(), modifiers: modifiers)
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
