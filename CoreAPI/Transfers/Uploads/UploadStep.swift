internal import CoreAPICore
internal import CoreAPIHTTP
internal import HTTPTypes

/// One request of a resumable upload. It has the endpoint's headers and modifiers, and its own method, address and fields.
struct UploadStep: WrappingEndpoint {
    let wrapped: any Endpoint
    /// `nil` for the endpoint's own.
    private let address: String?
    private let fields: Headers
    let method: HTTPRequest.Method
    let encoding: InputEncoding
    private let attached: [any RequestModifier]

    /// - Parameters:
    ///   - endpoint: creates the upload.
    ///   - method: `nil` for the endpoint's own.
    ///   - address: the upload's own; `nil` for the endpoint's, with the query that it may write.
    ///   - fields: the protocol's fields.
    ///   - body: the body.
    ///   - verifier: `nil` for the endpoint's own, which check the upload's last response.
    ///   - modifiers: nearer than the endpoint's.
    init(
        _ endpoint: any Endpoint, _ method: HTTPRequest.Method? = nil, at address: String? = nil, fields: Headers,
        body: Body = .none, verifier: StatusCodeResponseVerifier? = .successful,
        modifiers: [any RequestModifier] = []
    ) {
        wrapped = endpoint
        self.address = address
        self.fields = fields
        self.method = method ?? endpoint.method
        let own = address == nil ? endpoint.encoding : nil
        let base = endpoint.baseURL.isEmpty ? endpoint.url : endpoint.baseURL
        encoding = InputEncoding(endpoint.encoding.name) { parameters, request in
            try own?(parameters, into: &request)
            if address != nil { try request.checkOrigin(besides: base) }
            request.body = body
            // The media type belongs to the request that creates the upload.
            if own != nil, request.headers[.contentType] == nil { request.headers[.contentType] = "application/octet-stream" }
            if request.modifier(Timeout.self) == nil { request.timeout.total = UploadOptions.total }
        }
        attached = verifier.map { modifiers + [$0] } ?? modifiers
    }

    var baseURL: String { address == nil ? wrapped.baseURL : "" }
    var url: String { address ?? wrapped.url }
    var modifierLevels: [[any RequestModifier]] { wrapped.modifierLevels + [attached + [fields.own]] }
}

extension Request {
    /// The kit sends credentials to the upload's address, which a server or a stored state has named. So it must have an origin
    /// of the channel or the endpoint.
    ///
    /// - Parameter base: the endpoint's own address; usually a relative one.
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
