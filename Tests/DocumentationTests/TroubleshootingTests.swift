import TestSupport

@Suite("The page about troubleshooting")
struct TroubleshootingTests {
    private static let host = "api.shop.example"

    private static let transport: [TransportError] = [
        .cannotResolveHost(host), .cannotConnect(host: host, reason: "…"),
        .proxy(host: "proxy.example:3128", source: "https_proxy", status: nil, reason: "…"),
        .timedOut(.connect, after: Timeout().connect), .timedOut(.idle, after: Timeout().idle),
        .timedOut(.total, after: Timeout().total), .connectionLost(reason: "…", mayHaveBeenProcessed: true),
        .truncated(received: 4, expected: 10), .queueFull(limit: Limits().queuedRequests), .closed,
        .tls(host: host, reason: "…"), .pinMismatch(host: host, reason: "…"),
        .redirectRejected(to: "http://api.shop.example/", reason: "…"), .tooManyRedirects(limit: Limits().redirects),
        .responseTooLarge(limit: Limits().responseBodySize), .unsupported(capability: "pins"), .malformedResponse(reason: "…"),
        .fixture(
            .unmatched(
                request: "GET https://api.shop.example/v2/products/8", available: ["GET products/7"], nearest: "GET products/7")),
    ]

    private static let request: [RequestError] = [
        .insecureConnection(host: "printer.local"), .leavesEnvironment(host: host, environment: "sandbox"),
        .malformedHeader(name: "X-Note", reason: "…"), .duplicateModifier(type: "Timeout"),
        .headTooLarge(size: 1_100_200, limit: 1_044_480),
    ]

    private static let verification: [VerificationError] = [
        .unacceptableStatus(401, expected: "200…299"), .emptyBody(status: 200, expected: "Product"),
        .unacceptableContentType("text/html", expected: ["application/json"]),
    ]

    private static let messages =
        transport.map(\.errorDescription) + request.map(\.errorDescription) + verification.map(\.errorDescription)

    private func isShown(_ message: String) throws -> Bool {
        try Documentation.text("\(Documentation.catalog)/Troubleshooting.md").contains("| `\(message)` |")
    }

    @Test("has the exact text of an error", arguments: messages)
    func message(_ message: String?) throws {
        #expect(try isShown(#require(message)))
    }

    @Test("has the text of a body that cannot be decoded, and its path")
    func decoding() async throws {
        let body = #"[{"id": 1}, {"id": 2}, {"id": 3}, {"id": "4"}]"#
        let channel = Channel(
            name: "shop", environment: APIEnvironment(ShopHost.production), transport: FixtureTransport([Fixture(body: body)]))
        let error = await CommonDispatcher(channel: channel)
            .response(for: TypedEndpoint.get("products"), as: .decodable([Product].self)).error
        let start = "cannot decode Array<Product>, at '[3].id' – "
        #expect(error?.description.hasPrefix(start) == true, "\(error?.description ?? "")")
        #expect(try isShown("\(start)…"))
    }

    @Test("has the text of a missing credential")
    func credential() async throws {
        let channel = Channel.bakery.with { $0.transport = FixtureTransport([Fixture()]) }
        let error = await CommonDispatcher(channel: channel).response(for: TypedEndpoint.get("breads"), as: .nothing).error
        #expect(try isShown(#require((error?.underlyingError as? Credential.Missing)?.errorDescription)))
    }

    @Test("has the text of a channel with a problem")
    func channel() async throws {
        var channel = Channel.shop(.production)
        channel.limits.redirects = -1
        let error = await CommonDispatcher(channel: channel).response(for: TypedEndpoint.get("products"), as: .nothing).error
        #expect(error?.description.hasPrefix("the channel is not usable: limits.redirects is -1") == true)
        #expect(try isShown("the channel is not usable: …"))
    }

    @Test("has the text of an error envelope of another shape")
    func envelope() async throws {
        var channel = Channel.shop(.production)
        channel.transport = FixtureTransport([Fixture(status: 401, body: #"{"error": 7}"#)])
        let error = await CommonDispatcher(channel: channel).response(for: TypedEndpoint.get("products"), as: .nothing).error
        #expect(error?.description.contains("the body could not be read as the channel's error (") == true)
        #expect(try isShown("the body could not be read as the channel's error (…)"))
    }
}
