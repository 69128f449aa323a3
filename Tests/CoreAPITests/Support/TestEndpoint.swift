import TestSupport

/// An endpoint with any properties.
struct TestEndpoint: Endpoint {
    var path: String
    var method: HTTPRequest.Method
    var baseURL: String
    var headers: Headers
    var params: Parameters?
    var encoding: InputEncoding
    var modifiers: [any RequestModifier]
    var description: String { "thing" }

    init(
        _ path: String = "thing", _ method: HTTPRequest.Method = .get, baseURL: String = "", headers: Headers = [:],
        params: Parameters? = nil, encoding: InputEncoding = .query, modifiers: [any RequestModifier] = []
    ) {
        self.path = path
        self.method = method
        self.baseURL = baseURL
        self.headers = headers
        self.params = params
        self.encoding = encoding
        self.modifiers = modifiers
    }
}

extension Channel {
    func manager() -> NetworkManager<TestEndpoint> { NetworkManager(channel: self) }
}
