public import CoreAPI
public import CoreAPITesting

public struct TestHost: EnvironmentType {
    public var name = "test"
    public var baseURL: String
    public var isSimulated = false

    public init(name: String = "test", baseURL: String, isSimulated: Bool = false) {
        (self.name, self.baseURL, self.isSimulated) = (name, baseURL, isSimulated)
    }
}

extension Channel {
    /// A channel to a host in clear text; without one if the transport needs none. Its transport is closed when a test with the
    /// trait `.closing` has ended.
    ///
    /// - Parameter authority: the certificate, in PEM, of the only trusted authority.
    public static func test(
        _ baseURL: String = "http://127.0.0.1:9/", name: String = "test", limits: Limits = Limits(), authority: String? = nil,
        transport: (any Transport)? = nil, _ change: (inout Channel) -> Void = { _ in }
    ) -> Channel {
        let environment = APIEnvironment(TestHost(baseURL: baseURL), allowsInsecureConnections: true)
        var channel = Channel(name: name, environment: environment, limits: limits, transport: transport)
        if let authority { channel.environment.serverTrustManager = ServerTrustManager(authorities: .pem(authority)) }
        change(&channel)
        let used = channel.transport
        Opened.current?.atEnd { await used.close() }
        return channel
    }

    /// A channel to a server on loopback, which it trusts.
    public static func test(
        _ server: LoopbackServer, name: String = "test", limits: Limits = Limits(), transport: (any Transport)? = nil,
        _ change: (inout Channel) -> Void = { _ in }
    ) -> Channel {
        test(server.url, name: name, limits: limits, authority: server.tls?.authorityPEM, transport: transport, change)
    }

    /// A channel to `https://h.example`, whose requests the transport answers.
    public static func test(_ transport: any Transport, _ change: (inout Channel) -> Void = { _ in }) -> Channel {
        test("https://h.example", transport: transport, change)
    }

    public var manager: NetworkManager<TestEndpoint> { NetworkManager(channel: self) }
    public var dispatcher: CommonDispatcher { CommonDispatcher(channel: self) }
}

extension LoopbackServer {
    /// The manager of a new channel to the server.
    public var manager: NetworkManager<TestEndpoint> { Channel.test(self).manager }
}

/// An endpoint with any properties.
public struct TestEndpoint: Endpoint {
    public var path: String
    public var method: HTTPRequest.Method
    public var baseURL: String
    public var headers: Headers
    public var params: Parameters?
    public var encoding: InputEncoding
    public var modifiers: [any RequestModifier]
    public var description: String { "thing" }

    public init(
        _ path: String = "thing", _ method: HTTPRequest.Method = .get, baseURL: String = "", headers: Headers = [:],
        params: Parameters? = nil, encoding: InputEncoding = .query, modifiers: [any RequestModifier] = []
    ) {
        (self.path, self.method, self.baseURL, self.headers) = (path, method, baseURL, headers)
        (self.params, self.encoding, self.modifiers) = (params, encoding, modifiers)
    }
}
