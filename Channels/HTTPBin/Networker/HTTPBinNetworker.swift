public import CoreAPI
internal import Foundation

/// The base class of the interactors for an httpbin, the server that echoes requests. Its `networkManager` sends over
/// `Channel.httpBin`. It is the smallest channel.
open class HTTPBinNetworker<EndpointItem: Endpoint>: ChannelNetworker<EndpointItem> { public init() { super.init(.httpBin) } }

extension Channel {
    /// The environment variable with the base URL of an httpbin.
    public static let httpBinVariable = "NETWORKERKIT_HTTPBIN_URL"

    /// The httpbin of ``httpBinVariable``, by default at port 8080 of this machine. Clear text is allowed, because no call to
    /// it contains a secret.
    public static let httpBin = Channel(
        "HTTPBin", "echoes requests",
        hosts: [
            "httpbin": APIEnvironment(
                baseURL: ProcessInfo.processInfo.environment[httpBinVariable] ?? "http://127.0.0.1:8080", isSimulated: true,
                allowsInsecureConnections: true)
        ])
}
