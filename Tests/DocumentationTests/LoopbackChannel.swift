import CoreAPI
import CoreAPITesting

extension Channel {
    /// A channel to a test's server in clear text.
    static func loopback(_ server: LoopbackServer) -> Channel {
        var environment = APIEnvironment("loopback", baseURL: server.url)
        environment.allowsInsecureConnections = true
        return Channel(name: "loopback", environment: environment)
    }
}
