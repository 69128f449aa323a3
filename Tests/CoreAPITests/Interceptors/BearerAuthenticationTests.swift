import TestSupport

@Suite("Bearer authentication", .closing)
struct BearerAuthenticationTests {
    struct Rejected: Error, Equatable {}

    private static func server(accepting token: String) -> RecordingTransport {
        RecordingTransport { request in
            .answer(to: request, status: request.headers[.authorization] == "Bearer \(token)" ? 200 : 401)
        }
    }

    @Test("repeats a request only once if the new token is rejected too")
    func rejectedAgain() async {
        let transport = Self.server(accepting: "never")
        let refreshes = Shared(0)
        let bearer = BearerAuthentication { _ in "token \(refreshes.next())" }
        let response = await Channel.test(transport) { $0.attemptMiddleware = [bearer] }.item()
        #expect(response.error?.label == "verification.unacceptableStatus.401" && response.attempts.count == 1)
        #expect(transport.requests.count == 2 && refreshes.current == 1)
    }

    @Test("fails every waiter once if the refresh fails, and tries again for the next request")
    func failedRefresh() async {
        let transport = Self.server(accepting: "never")
        let refreshes = Shared(0)
        let bearer = BearerAuthentication(token: "old") { _ in
            _ = refreshes.next()
            while transport.requests.count < 20 { await Task.yield() }
            throw Rejected()
        }
        let manager = Channel.test(transport) { $0.attemptMiddleware = [bearer] }.manager
        let errors = await atOnce(20) { await manager.response(for: TestEndpoint(), as: .nothing).error?.app(Rejected.self) }
        #expect(errors == Array(repeating: Rejected(), count: 20))
        #expect(refreshes.current == 1)
        _ = await manager.response(for: TestEndpoint(), as: .nothing)
        #expect(refreshes.current == 2)
    }

    @Test(
        "a failed refresh keeps the whole rejection, and no filter or enhancer reads another error from it",
        arguments: [false, true])
    func rejectionIsKept(streams: Bool) async throws {
        struct Envelope: Error, Decodable { let code: String }
        let server = try LoopbackServer.test { _ in
            .status(401, body: Data(#"{"code":"expired"}"#.utf8), headers: ["WWW-Authenticate": "Bearer"])
        }
        let failures: [any Error] = [Rejected(), TransportError.cannotResolveHost("tokens.example")]
        for failure in failures {
            var channel = Channel.test(server.url)
            channel.attemptMiddleware = [BearerAuthentication(token: "old") { _ in throw failure }]
            channel.errorFilter = .rejection(Envelope.self)
            channel.enhancers = [
                Deenhancing { if let envelope = try? JSONDecoder().decode(Envelope.self, from: $0.data) { throw envelope } }
            ]
            let label = Shared<String?>(nil)
            channel.listeners = [Hearing { if case .read(_, let error) = $0 { label.change { $0 = error?.label } } }]
            let manager = channel.manager
            let response =
                streams
                ? await manager.stream(TestEndpoint()).map { _ in () }
                : await manager.response(for: TestEndpoint(), as: .data).map { _ in () }
            let error = try #require(response.error)
            #expect(error.label == (failure is Rejected ? "app.401" : "transport.cannotResolveHost"))
            #expect(response.head?.status == .unauthorized)
            #expect(response.data == Data(#"{"code":"expired"}"#.utf8))
            #expect(response.metrics?.httpVersion == "HTTP/1.1" && response.attempts.map(\.status) == [401])
            #expect(response.attempts[0].metrics != nil && response.attempts[0].error?.label == error.label)
            #expect(error.context.head == response.head && error.context.body == response.data)
            #expect(label.current == error.label)
        }
    }

    @Test("a refreshed token that no field can hold is a failed refresh: the rejection stays, and the next call refreshes")
    func unsendableToken() async throws {
        let transport = Self.server(accepting: "never")
        let bearer = BearerAuthentication(token: "old") { _ in "a\r\nb" }
        let channel = Channel.test(transport) { $0.attemptMiddleware = [bearer] }
        for count in 1...2 {
            let response = await channel.item()
            #expect(response.error?.label.hasPrefix("request") == true)
            #expect(response.head?.status == .unauthorized && response.attempts.map(\.status) == [401])
            #expect(transport.requests.count == count)
        }
    }

    @Test("a cancelled waiter leaves at once and does not stop the refresh")
    func cancelledWaiter() async throws {
        let transport = Self.server(accepting: "new")
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let bearer = BearerAuthentication(token: "old") { _ in
            signal.yield()
            for await _ in gate { break }
            return "new"
        }
        let manager = Channel.test(transport) { $0.attemptMiddleware = [bearer] }.manager
        let cancelled = Task { await manager.response(for: TestEndpoint(), as: .nothing) }
        for await _ in started { break }
        let patient = Task { await manager.response(for: TestEndpoint(), as: .nothing) }
        while transport.requests.count < 2 { await Task.yield() }
        cancelled.cancel()
        // The gate is still closed, so only leaving the queue can end this one.
        #expect(await cancelled.value.error?.isCancelled == true)
        open.yield()
        #expect(await patient.value.error == nil)
    }

    @Test("a refresh that never ends delays no call beyond its own timeout")
    func stuckRefresh() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let bearer = BearerAuthentication(token: "old") { _ in
            for await _ in gate { break }
            throw Rejected()
        }
        let channel = Channel.test(Self.server(accepting: "never")) { $0.attemptMiddleware = [bearer] }
        #expect(await channel.error(TestEndpoint(modifiers: [Timeout(.milliseconds(200))]))?.label == "transport.timedOut.total")
        open.yield()
    }

    @Test("a token is sent only to the environment's origin and the named ones, and only their rejections fetch one")
    func origins() async throws {
        let transport = RecordingTransport { .answer(to: $0, status: $0.url.host == "evil.example" ? 401 : 200) }
        let refreshes = Shared(0)
        let bearer = BearerAuthentication(token: "t", origins: ["https://files.example"]) { _ in
            _ = refreshes.next()
            return "new"
        }
        let manager = Channel.test("https://h.example/v1", transport: transport) { $0.attemptMiddleware = [bearer] }.manager
        for base in ["", "https://files.example/x", "https://evil.example", "https://h.example:8443", "http://h.example"] {
            _ = await manager.response(for: TestEndpoint(baseURL: base), as: .nothing)
        }
        #expect(transport.requests.map { $0.headers[.authorization] } == ["Bearer t", "Bearer t", nil, nil, nil])
        #expect(refreshes.current == 0)
    }

    @Test("another environment begins without the first environment's token")
    func environments() async throws {
        let transport = RecordingTransport()
        var channel = Channel.test(transport) { $0.attemptMiddleware = [BearerAuthentication(token: "t") { _ in "new" }] }
        let place = APIEnvironment.Switch(channel.environment)
        channel.environmentSwitch = place
        let manager = channel.manager
        try await manager.request(endpoint: TestEndpoint())
        place.environment = APIEnvironment("staging", baseURL: "https://staging.example")
        try await manager.request(endpoint: TestEndpoint())
        #expect(transport.requests.map { $0.headers[.authorization] } == ["Bearer t", nil])
    }

    /// Answers 401 to the tokens in the list, and 200 to any other request with a token.
    private static func server(rejecting tokens: [String] = []) -> RecordingTransport {
        RecordingTransport { request in
            let token = request.headers[.authorization]
            return .answer(to: request, status: token == nil || tokens.contains { token == "Bearer \($0)" } ? 401 : 200)
        }
    }

    /// A channel whose refresh makes `new-R` of the refresh token `R`.
    private static func channel(
        _ credentials: Channel.Credentials, sandbox: String? = nil, transport: RecordingTransport
    ) -> Channel {
        Channel.test(transport).with {
            $0.credentials = credentials
            $0.attemptMiddleware = [
                BearerAuthentication(
                    .environment("ACCESS", sandbox: sandbox), refreshToken: .environment("REFRESH", sandbox: sandbox)
                ) { token, response in "new-\(token)" }
            ]
        }
    }

    private static func tokens(_ transport: RecordingTransport) -> [String?] {
        transport.requests.map { $0.headers[.authorization] }
    }

    @Test(
        "begins with the channel's access token, or none, and refreshes with its refresh token",
        arguments: [(["ACCESS": "A", "REFRESH": "R"], "Bearer A"), (["REFRESH": "R"], nil)] as [(Channel.Credentials, String?)])
    func credentials(_ credentials: Channel.Credentials, first: String?) async throws {
        let transport = Self.server(rejecting: ["A"])
        let manager = Self.channel(credentials, transport: transport).manager
        for _ in 0..<2 { try await manager.request(endpoint: TestEndpoint()) }
        #expect(Self.tokens(transport) == [first, "Bearer new-R", "Bearer new-R"])
    }

    @Test("two channels with one middleware begin with their own tokens, and keep them apart")
    func otherCredentials() async throws {
        let transport = Self.server(rejecting: ["B"])
        let first = Self.channel(["ACCESS": "A", "REFRESH": "R"], transport: transport)
        let second = first.with { $0.credentials = ["ACCESS": "B", "REFRESH": "S"] }
        for channel in [first, second, first, second] { try await channel.manager.request(endpoint: TestEndpoint()) }
        #expect(Self.tokens(transport) == ["Bearer A", "Bearer B", "Bearer new-S", "Bearer A", "Bearer new-S"])
    }

    @Test("another environment begins with the token that the channel has there")
    func credentialsOfEnvironments() async throws {
        let transport = Self.server()
        var channel = Self.channel(["ACCESS": "A", "REFRESH": "R"], sandbox: "local", transport: transport)
        try await channel.manager.request(endpoint: TestEndpoint())
        channel.environment = APIEnvironment("sandbox", baseURL: "https://localhost:8443")
        channel.credentials = nil
        try await channel.manager.request(endpoint: TestEndpoint())
        #expect(Self.tokens(transport) == ["Bearer A", "Bearer local"])
    }

    @Test("a channel with neither token sends nothing to its environment, and the error names the refresh token")
    func noCredentials() async throws {
        let transport = Self.server()
        var channel = Self.channel([:], transport: transport)
        let error = await channel.error()
        #expect(error?.label == "adapting")
        #expect((error?.underlyingError as? Credential.Missing)?.variable == "REFRESH")
        #expect(transport.requests.isEmpty)
        // No token is sent elsewhere, so a missing one is no error there.
        let elsewhere = await channel.manager.response(for: TestEndpoint(baseURL: "https://other.example"), as: .nothing)
        #expect(elsewhere.head?.status.code == 401)
        channel.credentials = ["ACCESS": "A"]
        try await channel.manager.request(endpoint: TestEndpoint())
        #expect(Self.tokens(transport) == [nil, "Bearer A"])
    }

    @Test("a rejected access token without a refresh token fails the call with the missing one's name")
    func noRefreshToken() async {
        let transport = Self.server(rejecting: ["A"])
        let error = await Self.channel(["ACCESS": "A"], transport: transport).error()
        #expect(error?.app(Credential.Missing.self)?.variable == "REFRESH")
        #expect(transport.requests.count == 1)
    }

    @Test("a simulated environment needs no tokens")
    func simulated() async throws {
        let transport = Self.server()
        var channel = Self.channel([:], transport: transport)
        channel.environment = APIEnvironment(TestHost(baseURL: "https://h.example", isSimulated: true))
        try await channel.manager.request(endpoint: TestEndpoint())
        #expect(Self.tokens(transport) == [nil, "Bearer new-"])
    }

    @Test("a copy for another test begins with the channel's tokens again")
    func credentialsOfCopies() async throws {
        let transport = Self.server(rejecting: ["A"])
        let dispatcher = CommonDispatcher(channel: Self.channel(["ACCESS": "A", "REFRESH": "R"], transport: transport))
        for dispatcher in [dispatcher, dispatcher.isolatedCopy(transport: transport)] {
            try await dispatcher.request(TestEndpoint())
        }
        #expect(Self.tokens(transport) == ["Bearer A", "Bearer new-R", "Bearer A", "Bearer new-R"])
    }
}
