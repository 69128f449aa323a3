public import CoreAPI
internal import Foundation

/// Speaks to an httpbin, the server that echoes requests: the smallest channel there can be.
open class HTTPBinNetworker<EndpointItem: Endpoint>: ChannelNetworker<EndpointItem> {
    public init() { super.init(.httpBin) }
}

extension Channel {
    /// The environment variable that may hold the base URL of an httpbin.
    public static let httpBinVariable = "NETWORKERKIT_HTTPBIN_URL"

    /// The httpbin of ``httpBinVariable``, else the one at port 8080 of this machine. Clear text is allowed, because no call to
    /// it carries a secret.
    public static let httpBin = Channel(
        "HTTPBin", "says what it was asked",
        hosts: [
            "httpbin": ChannelHost(
                ProcessInfo.processInfo.environment[httpBinVariable] ?? "http://127.0.0.1:8080", isSimulated: true,
                allowsClearText: true)
        ])
}
