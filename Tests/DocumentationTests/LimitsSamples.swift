import CoreAPI

// Shown on the page "Threads and limits"; runs in LimitsTests.

extension Channel {
    /// A service's channel to one host that takes seconds for each response.
    static func bulk(_ environment: APIEnvironment, loops: LoopGroup) -> Channel {
        var limits = Limits()
        limits.connections = 2_000
        limits.connectionsPerHost = 2_000
        limits.queuedRequests = 10_000
        limits.responseBodySize = 1 << 20
        return Channel(name: "Bulk", environment: environment, limits: limits, transport: CurlTransport(loops: loops))
    }
}
