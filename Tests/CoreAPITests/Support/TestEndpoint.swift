import TestSupport

/// An endpoint with any properties.
typealias TestEndpoint = AdHocEndpoint

extension AdHocEndpoint {
    init(
        _ path: String = "thing", _ method: HTTPRequest.Method = .get, baseURL: String = "", headers: Headers = [:],
        params: Parameters? = nil, encoding: InputEncoding = .query, modifiers: [any RequestModifier] = []
    ) {
        self.init(method, path, params: params, encoding: encoding, headers: headers, modifiers: modifiers, name: "thing")
        self.baseURL = baseURL
    }
}

extension Channel {
    func manager() -> NetworkManager<TestEndpoint> { NetworkManager(channel: self) }
}
