import TestSupport

@Suite("RequestModifier")
struct RequestModifierTests {
    @Test("lets the nearest modifier win: endpoint over channel over environment")
    func nearest() async throws {
        let transport = RecordingTransport()
        var channel = Channel.test(transport)
        channel.environment.commonHeaders = [
            "X-A": "environment", "X-B": "environment", "X-C": "environment", "X-D": "environment",
        ]
        channel.modifiers = [
            Header("X-B", "channel"), Header("X-C", "channel"), Header("X-D", "channel"), Timeout(.seconds(40)),
            QueryItem("k", "1"),
        ]
        let endpoint = TestEndpoint(
            "a", headers: ["x-d": "own"], modifiers: [Header("X-C", "endpoint"), Timeout(.seconds(7)), QueryItem("l", "2")])
        try await channel.manager.request(endpoint: endpoint)
        let request = try #require(transport.requests.first)
        let values = ["X-A", "X-B", "X-C", "X-D"].map { name in
            request.headers.first { $0.name.rawName.lowercased() == name.lowercased() }?.value
        }
        #expect(values == ["environment", "channel", "endpoint", "own"])
        #expect(request.headers.count == 4 && request.timeout.total == .seconds(7))
        #expect(request.url.string == "https://h.example/a?k=1&l=2")
    }

    @Test("sends headers in the order in which they were given")
    func order() async throws {
        let transport = RecordingTransport()
        let endpoint = TestEndpoint(
            "a", headers: ["X-7": "a", "X-1": "b", "X-6": "c", "X-2": "d", "X-5": "e", "X-3": "f", "X-4": "g", "X-0": "h"])
        try await Channel.test(transport).manager.request(endpoint: endpoint)
        let sent = transport.requests.first?.headers.map(\.name.rawName).filter { $0.hasPrefix("X-") }
        #expect(sent == [7, 1, 6, 2, 5, 3, 4, 0].map { "X-\($0)" })
    }

    @Test("the type of an encoded body wins over the channel's headers and loses to the endpoint's own")
    func contentType() async throws {
        let transport = RecordingTransport()
        var channel = Channel.test(transport)
        channel.environment.commonHeaders = ["Content-Type": "application/json"]
        channel.modifiers = [Header("Content-Type", "text/plain")]
        try await channel.manager.request(endpoint: TestEndpoint("a", .post, params: ["a": 1], encoding: .form))
        try await channel.manager.request(
            endpoint: TestEndpoint(
                "a", .post, headers: ["content-type": "application/vnd.x+json"], params: ["a": 1], encoding: .body))
        try await channel.manager.request(endpoint: TestEndpoint("a"))
        #expect(
            transport.requests.map { $0.headers[.contentType] } == [
                "application/x-www-form-urlencoded", "application/vnd.x+json", "text/plain",
            ])
    }

    @Test("lines of one name stay together, and replace those of a farther level")
    func repeatedHeaders() async throws {
        let transport = RecordingTransport()
        let channel = Channel.test(transport) { $0.environment.commonHeaders = ["X-A": "far"] }
        var headers: Headers = [:]
        headers.append("X-A", "1")
        headers.append("X-A", "2")
        try await channel.manager.request(endpoint: TestEndpoint(headers: headers))
        #expect(transport.requests.first?.headers.map(\.value) == ["1", "2"])
    }

    private static let channels = [BaseURL("https://channel.example")]
    private static let high = channels + [BaseURL("https://high.example", priority: .high)]

    @Test(
        "the highest priority of a base URL wins, then the endpoint's, the nearest modifier's, the environment's; nil is none",
        arguments: [
            ([], TestEndpoint(), "https://environment.example/thing"),
            (channels, TestEndpoint(), "https://channel.example/thing"),
            (channels, TestEndpoint(modifiers: [BaseURL("https://m.example/x/")]), "https://m.example/x/thing"),
            (channels, TestEndpoint(baseURL: "https://own.example", modifiers: channels), "https://own.example/thing"),
            (high, TestEndpoint(modifiers: [BaseURL("https://m.example")]), "https://high.example/thing"),
            (high, TestEndpoint(modifiers: [BaseURL("https://m.example", priority: .high)]), "https://m.example/thing"),
            (high, TestEndpoint("https://whole.example/a?b=1", modifiers: [BaseURL.ignore]), "https://whole.example/a?b=1"),
            (high, TestEndpoint(modifiers: [BaseURL("https://a.example"), channels[0]]), "request.conflictingBaseURLs"),
            (high, TestEndpoint(modifiers: [high[1], high[1]]), "https://high.example/thing"),
            (high, TestEndpoint(modifiers: [BaseURL.ignore]), "request.malformedURL"),
            ([], TestEndpoint(modifiers: [BaseURL(nil), channels[0]]), "https://channel.example/thing"),
            ([], TestEndpoint(modifiers: [BaseURL(nil, priority: .max)]), "https://environment.example/thing"),
        ])
    func base(modifiers: [BaseURL], endpoint: TestEndpoint, expected: String) async {
        let transport = RecordingTransport()
        let channel = Channel.test("https://environment.example", transport: transport) { $0.modifiers = modifiers }
        let error = await channel.error(endpoint)
        #expect(transport.requests.first?.url.string ?? error?.label == expected)
    }

    @Test("without a base URL in the environment the other one is used; an environment may override it")
    func otherBase() async throws {
        for endpoint in [TestEndpoint(baseURL: "https://m.example"), TestEndpoint(modifiers: [BaseURL("https://m.example")])] {
            for (base, overrides, host) in [("", false, "m.example"), ("https://h.example", true, "h.example")] {
                let channel = Channel.test(base, transport: RecordingTransport()) { $0.environment.overridesBaseURLs = overrides }
                #expect(await channel.item(endpoint).request?.url.host == host)
            }
        }
        let error = try #require(await Channel.test("", transport: RecordingTransport()).error())
        #expect(error.label == "channel" && "\(error)".contains("has no base URL"))
    }

    @Test(
        "sets the cache headers of a cache policy",
        arguments: [
            (CachePolicy.protocolDefault, nil), (.revalidate, "no-cache"), (.noStore, "no-store"),
            (.onlyIfCached, "only-if-cached"),
        ] as [(CachePolicy, String?)])
    func cachePolicy(policy: CachePolicy, directive: String?) async throws {
        let transport = RecordingTransport()
        let channel = Channel.test(transport) { $0.environment.cachePolicy = policy }
        try await channel.manager.request(endpoint: TestEndpoint())
        try await channel.manager.request(endpoint: TestEndpoint(headers: ["Cache-Control": "max-age=0"]))
        #expect(transport.requests.map { $0.headers[.cacheControl] } == [directive, "max-age=0"])
    }

    @Test("a query item without a name is an error", arguments: [nil, "s3cret"] as [String?])
    func namelessQueryItem(value: String?) async {
        let manager = Channel.test(RecordingTransport()).manager
        let response = await manager.response(for: TestEndpoint(modifiers: [QueryItem("", value)]), as: .nothing)
        #expect(response.error?.label == "request.namelessQueryItem")
        #expect(response.error?.description.contains("s3cret") == false)
    }

    @Test("a call's modifiers override the endpoint's own, and apply to this call only")
    func attached() async throws {
        let transport = RecordingTransport()
        let manager = Channel.test(transport).manager
        let endpoint = TestEndpoint(headers: ["X-A": "own"], modifiers: [Header("X-B", "endpoint"), Timeout(.seconds(7))])
        // The later of two is nearer.
        try await manager.attaching(Timeout(.seconds(9))).attaching(Header("X-A", "call"), Timeout(.seconds(3)))
            .request(endpoint: endpoint)
        try await manager.request(endpoint: endpoint)
        let values = transport.requests.map { request in ["X-A", "X-B"].map { request.headers[.init($0)!] } }
        #expect(values == [["call", "endpoint"], ["own", "endpoint"]])
        #expect(transport.requests.map(\.timeout.total) == [.seconds(3), .seconds(7)])
    }

    @Test("levels of a typed endpoint: provider, endpoint, call")
    func typedLevels() async throws {
        struct Things: EndpointProvider {
            static var implicitModifiers: [any RequestModifier] { [Timeout(.seconds(40)), BaseURL("https://provider.example")] }
            static var plain: GET<Void, Void> { create("a") }
            static var own: GET<Void, Void> { create("a", modifiers: [Timeout(.seconds(7)), BaseURL("https://own.example")]) }
        }
        let transport = RecordingTransport()
        let dispatcher = CommonDispatcher(channel: .test(transport))
        try await dispatcher.request(Things.plain)
        try await dispatcher.request(Things.own)
        try await dispatcher.request(Things.own.attaching(Timeout(.seconds(3))))
        #expect(transport.requests.map(\.timeout.total) == [.seconds(40), .seconds(7), .seconds(3)])
        #expect(transport.requests.map(\.url.host) == ["provider.example", "own.example", "own.example"])
    }

    struct Tag: RequestModifier { let name: String }

    struct TagEnhancer: RequestEnhancer {
        func enhance(_ request: inout Request) throws {
            for tag in request.modifiers(of: Tag.self) { try request.setHeader("X-Tag-\(tag.name)", "1") }
        }
    }

    @Test("a custom modifier type is found by its own enhancer")
    func own() async throws {
        let transport = RecordingTransport()
        var channel = Channel.test(transport)
        channel.modifiers = [Tag(name: "channel")]
        channel.enhancers = [TagEnhancer()]
        try await channel.manager.request(endpoint: TestEndpoint(modifiers: [Tag(name: "endpoint")]))
        #expect(transport.requests.first?.headers.map(\.name.rawName) == ["X-Tag-channel", "X-Tag-endpoint"])
    }

    @Test(
        "a modifier attached twice at one level is an error if two make no sense",
        arguments: [
            [Timeout(.seconds(1)), Timeout(.seconds(2))], [CachePolicy.noStore, CachePolicy.revalidate],
            [BodyCoder.json, BodyCoder.json], [StatusCodeResponseVerifier(200), StatusCodeResponseVerifier(201)],
            [Fixture.Scenario("a"), Fixture.Scenario("a")],
        ] as [[any RequestModifier]])
    func twice(modifiers: [any RequestModifier]) async {
        var channel = Channel.test(RecordingTransport())
        let error = await channel.manager.response(for: TestEndpoint(modifiers: modifiers), as: .nothing).error
        #expect(error?.label == "request.duplicateModifier")
        #expect(error?.description.contains("\(type(of: modifiers[0]))") == true)
        channel.modifiers = [modifiers[0]]
        let once = await channel.manager.response(for: TestEndpoint(modifiers: [modifiers[1]]), as: .nothing)
        #expect(once.error?.label != "request.duplicateModifier", "one per level is fine")
        channel.modifiers = modifiers
        #expect(await channel.manager.response(for: TestEndpoint(), as: .nothing).error?.label == "request.duplicateModifier")
    }
}
