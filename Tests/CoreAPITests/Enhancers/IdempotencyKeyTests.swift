import TestSupport

@Suite("Idempotency keys")
struct IdempotencyKeyTests {
    private static func numbering(_ header: String = "Idempotency-Key") -> IdempotencyKey {
        let count = Shared(1)
        return IdempotencyKey(header: header) { "key \(count.next())" }
    }

    private static func channel(_ key: IdempotencyKey, _ transport: RecordingTransport) -> Channel {
        .test(transport) { ($0.enhancers, $0.interceptors) = ([key], [RetryPolicy(base: .zero)]) }
    }

    /// Redirects to another origin.
    private static func redirecting() -> RecordingTransport {
        RecordingTransport {
            .answer(to: $0, status: $0.url.host == "h.example" ? 308 : 200, headers: [.location: "https://other.example/x"])
        }
    }

    private static func values(_ transport: RecordingTransport, _ header: String = "Idempotency-Key") throws -> [String?] {
        let name = try #require(HTTPField.Name(header))
        return transport.requests.map { $0.headers[name] }
    }

    @Test("all attempts of a POST have one key, and another call has another", arguments: ["Idempotency-Key", "X-Request-Key"])
    func attempts(header: String) async throws {
        let transport = RecordingTransport(statuses: [503, 503, 200])
        let manager = Self.channel(Self.numbering(header), transport).manager
        for _ in 0..<2 { try await manager.request(endpoint: TestEndpoint("x", .post)) }
        #expect(try Self.values(transport, header) == ["key 1", "key 1", "key 1", "key 2", "key 2", "key 2"])
    }

    @Test("only a POST gets a key", arguments: [HTTPRequest.Method.get, .put, .patch, .delete])
    func otherMethods(method: HTTPRequest.Method) async throws {
        let transport = RecordingTransport()
        try await Self.channel(Self.numbering(), transport).manager.request(endpoint: TestEndpoint("x", method))
        #expect(try Self.values(transport) == [nil])
    }

    @Test("the caller's key stays, however its name is spelt, and lets any method be repeated")
    func callersKey() async throws {
        for method in [HTTPRequest.Method.post, .patch] {
            let transport = RecordingTransport(statuses: [503, 200])
            let manager = Self.channel(Self.numbering("X-Request-Key"), transport).manager
            try await manager.request(endpoint: TestEndpoint("x", method, headers: ["x-request-KEY": "mine"]))
            #expect(try Self.values(transport, "X-Request-Key") == ["mine", "mine"])
        }
    }

    @Test("a header of that name lets no call be repeated whose channel knows another name")
    func unknownName() async {
        var channel = Self.channel(Self.numbering(), RecordingTransport(statuses: [503, 200]))
        channel.enhancers = []
        let endpoint = TestEndpoint("x", .post, headers: ["X-Request-Key": "mine"])
        #expect(await channel.manager.response(for: endpoint, as: .nothing).attempts.map(\.status) == [503])
    }

    @Test("a redirect takes the key along to another origin, but no field of the caller's own with that name")
    func redirects() async throws {
        for (own, expected) in [(nil, ["key 1", "key 1"]), ("mine", ["mine", nil])] as [(String?, [String?])] {
            let transport = Self.redirecting()
            let endpoint = TestEndpoint("x", .post, headers: own.map { ["X-Request-Key": $0] } ?? [:])
            try await Self.channel(Self.numbering("X-Request-Key"), transport).manager.request(endpoint: endpoint)
            #expect(transport.requests.map(\.url.host) == ["h.example", "other.example"])
            #expect(try Self.values(transport, "X-Request-Key") == expected)
        }
    }

    @Test("a key that an interceptor has replaced is the caller's own")
    func replaced() async throws {
        let transport = Self.redirecting()
        var channel = Self.channel(Self.numbering("X-Request-Key"), transport)
        channel.interceptors.append(Adapting { try $0.setHeader("X-Request-Key", "secret") })
        try await channel.manager.request(endpoint: TestEndpoint("x", .post))
        #expect(try Self.values(transport, "X-Request-Key") == ["secret", nil])
    }

    @Test("by default a key is a UUID")
    func uuid() async throws {
        let transport = RecordingTransport()
        let manager = Self.channel(IdempotencyKey(), transport).manager
        for _ in 0..<2 { try await manager.request(endpoint: TestEndpoint("x", .post)) }
        let keys = try Self.values(transport).compactMap { $0 }
        #expect(Set(keys).count == 2)
        #expect(keys.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil }, "\(keys)")
    }
}
