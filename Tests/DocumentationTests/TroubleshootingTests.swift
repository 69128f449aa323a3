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

    private func description(_ fixture: Fixture = Fixture(), _ change: (inout Channel) -> Void = { _ in }) async -> String {
        let manager = Channel.test(FixtureTransport([fixture]), change).manager
        return await manager.response(for: .get("products"), as: .decodable([[String: Int]].self)).error?.description ?? ""
    }

    @Test("begin as an error's description")
    func descriptions() async {
        let product = await description(Fixture(body: #"[{"id": 1}, {"id": "4"}]"#))
        #expect(product.hasPrefix("cannot decode Array<Dictionary<String, Int>>, at '[1].id' – "), "\(product)")
        let channel = await description { $0.limits.redirects = -1 }
        #expect(channel.hasPrefix("the channel is not usable: limits.redirects is -1"), "\(channel)")
        struct ShopError: Error, Decodable { let code: String }
        let envelope = await description(Fixture(status: 401, body: #"{"error": 7}"#)) {
            $0.errorFilter = .rejection(ShopError.self)
        }
        #expect(envelope.contains("the body could not be read as the channel's error ("), "\(envelope)")
    }
}
