internal import CoreAPICore
internal import CoreAPIHTTP
internal import HTTPTypes

/// One request of a transfer. It has the endpoint's headers and modifiers, and an encoding of its own.
struct TransferEndpoint: WrappingEndpoint {
    let wrapped: any Endpoint
    let encoding: InputEncoding
    /// Nearer than the endpoint's.
    var attached: [any RequestModifier] = []
    /// Those of a resumable upload; `nil` for the endpoint's.
    var ownMethod: HTTPRequest.Method?
    var ownAddress: String?

    var method: HTTPRequest.Method { ownMethod ?? wrapped.method }
    var baseURL: String { ownAddress == nil ? wrapped.baseURL : "" }
    var url: String { ownAddress ?? wrapped.url }
    var modifierLevels: [[any RequestModifier]] { wrapped.modifierLevels + [attached] }
}

extension TransferEndpoint {
    /// A request of a resumable upload, with the protocol's fields. It goes to the upload's own address or, without one, to that
    /// of the endpoint that creates the upload. Without a verifier those of the endpoint check the response.
    init(
        step endpoint: any Endpoint, _ method: HTTPRequest.Method? = nil, at address: String? = nil, fields: Headers,
        body: Body = .none, verifier: StatusCodeResponseVerifier? = .successful, observer: SendingObserver? = nil
    ) {
        let (own, base) = (endpoint.encoding, endpoint.baseURL.isEmpty ? endpoint.url : endpoint.baseURL)
        let encoding = InputEncoding(own.name) { parameters, request in
            if address == nil { try own(parameters, into: &request) } else { try request.checkOrigin(besides: base) }
            request.body = body
            // The media type belongs to the request that creates the upload.
            if address == nil, request.headers[.contentType] == nil { request.headers[.contentType] = "application/octet-stream" }
            if request.modifier(Timeout.self) == nil { request.timeout.total = UploadOptions.total }
        }
        let attached: [(any RequestModifier)?] = [observer, verifier, fields.own]
        self.init(
            wrapped: endpoint, encoding: encoding, attached: attached.compactMap(\.self), ownMethod: method, ownAddress: address)
    }
}

extension Request {
    /// The kit sends credentials to the upload's address, which a server or a stored state has named. So it must have an origin
    /// of the channel or the endpoint, whose own address, `base`, is usually a relative one.
    fileprivate func checkOrigin(besides base: String) throws(RequestError) {
        let environment = call.channel.environment
        let named = modifiers(of: BaseURL.self).compactMap(\.string) + [environment.baseURL, base]
        let isKnown = named.contains { text in
            guard let origin = try? HTTPURL(text) else { return false }
            return url.hasSameOrigin(as: origin)
        }
        guard isKnown else { throw .leavesEnvironment(host: url.host, environment: environment.name) }
    }
}

extension Dispatcher {
    /// Rejects a transfer that cannot make a request: by a call that fails before anything is sent, so that the channel's hooks
    /// and listeners receive the error.
    func reject(
        _ endpoint: any Endpoint, _ error: @escaping @Sendable (APIClientError.Context) -> APIClientError
    ) async -> (response: Response<Void>, error: APIClientError) {
        let failing = InputEncoding("a transfer") { _, _ in throw CallRejection(error) }
        let response = await response(for: TransferEndpoint(wrapped: endpoint, encoding: failing), as: .nothing)
        return (response, response.error ?? error(APIClientError.Context(response)))
    }
}
