internal import CoreAPIHTTP
internal import HTTPTypes

/// Limits that a channel sets on its answers, attempts and connections.
public struct Limits: Sendable, Hashable {
    /// Bytes of a response body after decompression. Default 64 MiB. The body of a redirect that is followed or rejected is cut
    /// at 64 KiB.
    public var responseBodySize = 64 * 1024 * 1024
    /// Bytes of a response's head, all fields together. Default 64 KiB. libcurl's own limits (``CurlTransport/capabilities``)
    /// apply as well: 300 KiB, 128 KiB over HTTP/2, and 100 KiB for one line.
    public var responseHeadSize = 64 * 1024
    /// Lines of a response's head and of its trailers. Default 512; at most 65,000 apply.
    public var responseHeadLines = 512
    /// Addresses that the kit never connects to, also after a redirect. Default none. With any the kit uses no proxy, because the
    /// proxy would be the peer.
    public var rejectedAddresses: Limits.AddressClass = []
    /// Redirects that one attempt follows; 0 returns the redirect itself. Default 20.
    public var redirects = 20
    /// Whether a redirect may lead from https to http. Default `false`.
    public var allowsRedirectsToInsecure = false
    /// Connections open at once, to all hosts together (`CURLMOPT_MAX_TOTAL_CONNECTIONS`). Default 200, below Darwin's default of
    /// 256 descriptors per process. Calls that stream their body have separate connections, up to the same number.
    public var connections = 200
    /// Connections open at once to one host (`CURLMOPT_MAX_HOST_CONNECTIONS`); a further request waits in the kit's queue.
    /// Default 100: 2,000 requests of 2 s then take 40 s, and with a browser's eight more than eight minutes. A host that speaks
    /// HTTP/2 usually gets one connection; see ``streamsPerConnection``.
    public var connectionsPerHost = 100
    /// Streams at once on one HTTP/2 connection (`CURLMOPT_MAX_CONCURRENT_STREAMS`). Such a host gets one connection (RFC 9113
    /// §9.1), so this also limits its requests at once. Default 100, which every server is asked to allow (§6.5.2). For a server
    /// that allows fewer, more connections are opened, up to ``connectionsPerHost``.
    public var streamsPerConnection = 100
    /// Requests that wait in the kit's queue before a further one is rejected. Default 100,000.
    public var queuedRequests = 100_000
    /// Attempts of one call, the first and those made manually included. Default 10.
    public var attempts = 10
    /// Makes limits with the default values.
    public init() {}
    package var headLines: Int { min(responseHeadLines, HTTPFields.limit) }

    /// Names of fields with invalid values, and what was expected.
    var problems: [String] {
        var problems: [String] = []
        func check(_ name: String, _ value: Int, atLeast least: Int) {
            if value < least { problems.append("limits.\(name) is \(value); expected at least \(least)") }
        }
        check("responseBodySize", responseBodySize, atLeast: 0)
        check("responseHeadSize", responseHeadSize, atLeast: 1)
        check("responseHeadLines", responseHeadLines, atLeast: 1)
        check("redirects", redirects, atLeast: 0)
        check("connections", connections, atLeast: 1)
        check("connectionsPerHost", connectionsPerHost, atLeast: 1)
        check("streamsPerConnection", streamsPerConnection, atLeast: 1)
        check("queuedRequests", queuedRequests, atLeast: 0)
        check("attempts", attempts, atLeast: 1)
        return problems
    }
}
