import CoreAPI
import HTTPTypes

/// An endpoint that is whatever a test needs.
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

/// A host made on the spot.
struct TestHost: EnvironmentType {
    var name = "test"
    var baseURL: String
    var isSimulated = false
}

extension Channel {
    /// A channel to a server on loopback, or to nowhere when only fixtures answer.
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
