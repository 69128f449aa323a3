import TestSupport

@Suite("The texts that the page about troubleshooting explains")
struct TroubleshootingTests {
    private static let host = "api.shop.example"

    private static let errors: [any LocalizedError] = [
        TransportError.cannotResolveHost(host), TransportError.cannotConnect(host: host, reason: "…"),
        TransportError.proxy(host: "proxy.example:3128", source: "https_proxy", status: nil, reason: "…"),
        TransportError.timedOut(.connect, after: Timeout().connect), TransportError.timedOut(.idle, after: Timeout().idle),
        TransportError.timedOut(.total, after: Timeout().total), TransportError.truncated(received: 4, expected: 10),
        TransportError.connectionLost(reason: "…", mayHaveBeenProcessed: true), TransportError.closed,
        TransportError.queueFull(limit: Limits().queuedRequests), TransportError.tls(host: host, reason: "…"),
        TransportError.pinMismatch(host: host, reason: "…"), TransportError.tooManyRedirects(limit: Limits().redirects),
        TransportError.redirectRejected(to: "http://api.shop.example/", reason: "…"),
        TransportError.responseTooLarge(limit: Limits().responseBodySize), TransportError.unsupported(capability: "pins"),
        TransportError.malformedResponse(reason: "…"),
        TransportError.fixture(
            .unmatched(
                request: "GET https://api.shop.example/v2/products/8", available: ["GET products/7"], nearest: "GET products/7")),
        RequestError.insecureConnection(host: "printer.local"), RequestError.duplicateModifier(type: "Timeout"),
        RequestError.leavesEnvironment(host: host, environment: "sandbox"),
        RequestError.malformedHeader(name: "X-Note", reason: "…"), RequestError.headTooLarge(size: 1_100_200, limit: 1_044_480),
        VerificationError.unacceptableStatus(401, expected: "200…299"),
        VerificationError.emptyBody(status: 200, expected: "Product"),
        VerificationError.unacceptableContentType("text/html", expected: ["application/json"]),
    ]

    @Test("are an error's own", arguments: errors.map(\.errorDescription))
    func message(_ message: String?) throws {
        let page = try Documentation.text("\(Documentation.catalog)/Troubleshooting.md")
        #expect(page.contains("| `\(try #require(message))` |"))
    }

    @Test("names the path of what cannot be decoded")
    func decoding() async throws {
        let body = #"[{"id": 1}, {"id": 2}, {"id": 3}, {"id": "4"}]"#
        let manager = Channel.test(FixtureTransport([Fixture(body: body)])).manager
        let error = await manager.response(for: .get("products"), as: .decodable([Product].self)).error
        #expect(
            error?.description.hasPrefix("cannot decode Array<Product>, at '[3].id' – ") == true, "\(error?.description ?? "")")
    }

    @Test("names the problem of a channel")
    func channel() async throws {
        var channel = Channel.shop(.production)
        channel.limits.redirects = -1
        let error = await CommonDispatcher(channel: channel).response(for: TypedEndpoint.get("products"), as: .nothing).error
        #expect(error?.description.hasPrefix("the channel is not usable: limits.redirects is -1") == true)
    }

    @Test("says that an error envelope has another shape")
    func envelope() async throws {
        var channel = Channel.shop(.production)
        channel.transport = FixtureTransport([Fixture(status: 401, body: #"{"error": 7}"#)])
        let error = await CommonDispatcher(channel: channel).response(for: TypedEndpoint.get("products"), as: .nothing).error
        #expect(error?.description.contains("the body could not be read as the channel's error (") == true)
    }
}
