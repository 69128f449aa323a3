import CoreAPI
import CoreAPITesting

extension Channel {
    static func test(_ server: LoopbackServer) -> Channel {
        var environment = APIEnvironment("loopback", baseURL: server.url)
        environment.allowsInsecureConnections = server.tls == nil
        if let tls = server.tls { environment.serverTrustManager = ServerTrustManager(authorities: .pem(tls.authorityPEM)) }
        return Channel(name: "test", environment: environment)
    }
}
