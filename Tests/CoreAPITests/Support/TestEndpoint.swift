import CoreAPI
import HTTPTypes

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

/// A host with any URL.
struct TestHost: EnvironmentType {
    var name = "test"
    var baseURL: String
    var isSimulated = false
}

extension Channel {
    /// A channel to a server on loopback; without a server if fixtures answer.
    static func test(
        _ baseURL: String = "http://127.0.0.1:9/", name: String = "test", limits: Limits = Limits(),
        transport: (any Transport)? = nil
    ) -> Channel {
        Channel(
            name: name, environment: APIEnvironment(TestHost(baseURL: baseURL), allowsInsecureConnections: true), limits: limits,
            transport: transport)
    }

    func manager() -> NetworkManager<TestEndpoint> { NetworkManager(channel: self) }
}
