package import CoreAPICoding
package import HTTPTypes

/// An endpoint that has the parts of another, but for those that it declares itself.
package protocol WrappingEndpoint: Endpoint {
    var wrapped: any Endpoint { get }
}

// Every requirement of `Endpoint`: for one that is missing here, a wrapper would have the default instead of the wrapped part.
extension WrappingEndpoint {
    package var baseURL: String { wrapped.baseURL }
    package var path: String { wrapped.path }
    package var method: HTTPRequest.Method { wrapped.method }
    package var headers: Headers { wrapped.headers }
    package var params: Parameters? { wrapped.params }
    package var url: String { wrapped.url }
    package var description: String { wrapped.description }
    package var encoding: InputEncoding { wrapped.encoding }
    package var modifiers: [any RequestModifier] { wrapped.modifiers }
    package var keyPath: String { wrapped.keyPath }
    package var modifierLevels: [[any RequestModifier]] { wrapped.modifierLevels }
}

/// An endpoint with a level of modifiers on top, nearer than its own.
private struct AttachedEndpoint: WrappingEndpoint {
    let wrapped: any Endpoint
    let attached: [any RequestModifier]
    var modifierLevels: [[any RequestModifier]] { wrapped.modifierLevels + [attached] }
}

extension Endpoint {
    /// This endpoint with further modifiers for one call; they win over its own, and over those attached before.
    public func attaching(_ modifiers: any RequestModifier...) -> any Endpoint { attaching(modifiers) }

    func attaching(_ modifiers: [any RequestModifier]) -> any Endpoint {
        modifiers.isEmpty ? self : AttachedEndpoint(wrapped: self, attached: modifiers)
    }
}
