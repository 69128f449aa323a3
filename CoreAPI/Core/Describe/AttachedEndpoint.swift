internal import HTTPTypes

/// An endpoint with a level of modifiers on top, nearer than its own.
private struct AttachedEndpoint: Endpoint {
    let endpoint: any Endpoint
    let attached: [any RequestModifier]

    var baseURL: String { endpoint.baseURL }
    var path: String { endpoint.path }
    var method: HTTPRequest.Method { endpoint.method }
    var headers: Headers { endpoint.headers }
    var params: Parameters? { endpoint.params }
    var url: String { endpoint.url }
    var description: String { endpoint.description }
    var encoding: InputEncoding { endpoint.encoding }
    var keyPath: String { endpoint.keyPath }
    var modifiers: [any RequestModifier] { endpoint.modifiers }
    var modifierLevels: [[any RequestModifier]] { endpoint.modifierLevels + [attached] }
}

extension Endpoint {
    /// This endpoint with further modifiers for one call; they win over its own, and over those attached before.
    public func attaching(_ modifiers: any RequestModifier...) -> any Endpoint {
        attaching(modifiers)
    }

    func attaching(_ modifiers: [any RequestModifier]) -> any Endpoint {
        modifiers.isEmpty ? self : AttachedEndpoint(endpoint: self, attached: modifiers)
    }
}
