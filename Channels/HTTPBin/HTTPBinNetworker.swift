public import CoreAPI
internal import Foundation

/// Speaks to an httpbin, the server that says what it was asked: the smallest channel there can be.
///
/// Not Sendable: an interactor belongs to the actor it was made on.
open class HTTPBinNetworker<EndpointItem: Endpoint>: Networker {
    public var networkManager: NetworkManager<EndpointItem>

    /// Speaks through ``CoreAPI/Channel/httpBin``, or through what a test put in its place.
    public init() {
        networkManager = NetworkManager(channel: .httpBin)
    }
}

extension Channel {
    /// The httpbin of ``HTTPBinHost/variable``, else the one at port 8080 of this machine.
    public static let httpBin = Channel.httpBin(HTTPBinHost())

    /// An httpbin anywhere; clear text is allowed, because it is given nothing that is worth hiding.
    public static func httpBin(_ host: HTTPBinHost) -> Channel {
        var channel = Channel(name: "HTTPBin", environment: APIEnvironment(host, allowsInsecureConnections: true))
        channel.logger = CoreNetworkLogger(subsystem: "networkerkit", category: "HTTPBin")
        return channel
    }
}

/// Where an httpbin listens.
public struct HTTPBinHost: EnvironmentType, Hashable {
    /// The environment variable that may hold the base URL.
    public static let variable = "NETWORKERKIT_HTTPBIN_URL"

    public let name = "httpbin"
    public let baseURL: String
    public let isSimulated = true

    /// - Parameter baseURL: an absolute http or https URL; `nil` for what ``variable`` holds, else `http://127.0.0.1:8080`.
    public init(baseURL: String? = nil) {
        self.baseURL = baseURL ?? ProcessInfo.processInfo.environment[Self.variable] ?? "http://127.0.0.1:8080"
    }
}
