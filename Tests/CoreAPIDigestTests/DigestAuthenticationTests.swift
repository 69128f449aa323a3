import CoreAPITransfers
import TestSupport

@Suite("Digest authentication over the wire", .closing, .timeLimit(.minutes(1)))
struct DigestAuthenticationTests {
    private func channel(
        _ base: String, password: Secret<String> = "passwd", origins: [String] = [], allowsLegacy: Bool = false
    ) throws -> Channel {
        let digest = try DigestAuthentication(
            username: "user", password: password, origins: origins, allowsLegacyChallenges: allowsLegacy)
        return Channel.test(base, name: "digest") { $0.attemptMiddleware = [digest] }
    }

    private func served(
        isLegacy: Bool = false, password: Secret<String> = "passwd", allowsLegacy: Bool = false
    ) throws -> (DigestServer, LoopbackServer, Channel) {
        let digest = DigestServer(isLegacy: isLegacy)
        let server = try LoopbackServer.test { digest.reply(to: $0, .ok()) }
        return (digest, server, try channel(server.url, password: password, allowsLegacy: allowsLegacy))
    }

    private func status(_ channel: Channel, _ endpoint: TestEndpoint = TestEndpoint()) async -> Int? {
        await channel.manager.response(for: endpoint, as: .nothing).status
    }

    @Test("is challenged once, then answers in advance, for exactly the target on the wire")
    func flow() async throws {
        let (digest, server, channel) = try served()
        for path in ["thing", "a b/ç?q=1&r=%22;x=\"y\"", "other"] { #expect(await status(channel, TestEndpoint(path)) == 200) }
        #expect(await status(channel, TestEndpoint("thing", .post)) == 200)
        #expect(server.requests.count == 5)
        #expect(digest.repeated.isEmpty)
    }

    @Test("each of 50 calls at once has its own count and client nonce")
    func concurrency() async throws {
        let (digest, _, channel) = try served()
        #expect(await status(channel) == 200)
        for _ in 0..<2 {
            await withTaskGroup { group in
                for _ in 0..<50 { group.addTask { await status(channel) } }
                for await status in group { #expect(status == 200) }
            }
            digest.expire()
        }
        #expect(digest.repeated.isEmpty, "\(digest.repeated.prefix(3))")
        #expect(digest.accepted == 101)
    }

    @Test("a body that can be read once is not sent again after a challenge; the rejection is the response")
    func once() async throws {
        let (_, server, channel) = try served()
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data("once".utf8))
        continuation.finish()
        let upload = channel.manager.upload(.post("thing"), from: .once(chunks))
        #expect(await upload.response.head?.status.code == 401)
        #expect(server.requests.map(\.bodyText) == ["once"])
    }

    @Test("a nonce that is too old is replaced, and does not count as a wrong password")
    func stale() async throws {
        let (digest, server, channel) = try served()
        for _ in 0..<3 {
            #expect(await status(channel) == 200)
            digest.expire()
        }
        #expect(server.requests.count == 6)
    }

    @Test("stops if the server calls every nonce too old")
    func alwaysStale() async throws {
        let server = try LoopbackServer.test { _ in
            .status(401, headers: ["WWW-Authenticate": "Digest realm=r, nonce=n, qop=auth, stale=true"])
        }
        #expect(await status(try channel(server.url)) == 401)
        #expect(server.requests.count == 5)
    }

    @Test("a wrong password is tried once in a call, and never in advance", arguments: [false, true])
    func wrongPassword(isLegacy: Bool) async throws {
        let (_, server, channel) = try served(isLegacy: isLegacy, password: "s3cret", allowsLegacy: isLegacy)
        for _ in 0..<2 {
            let response = await channel.manager.response(for: TestEndpoint(), as: .nothing)
            #expect(response.error?.label == "verification.unacceptableStatus.401")
            let shown = "\(response) \(response.error?.localizedDescription ?? "") \(String(describing: response.request))"
            #expect(!shown.contains("s3cret"))
        }
        #expect(server.requests.map { $0.headers["authorization"] != nil } == [false, true, false, true])
    }

    @Test("without a challenge of Digest the rejection is the result")
    func otherScheme() async throws {
        let server = try LoopbackServer.test { _ in .status(401, headers: ["WWW-Authenticate": "Basic realm=r"]) }
        let error = await (try channel(server.url)).manager.response(for: TestEndpoint(), as: .nothing).error
        #expect(error?.label == "verification.unacceptableStatus.401" && server.requests.count == 1)
    }

    @Test("a challenge without an answer keeps its whole rejection, and no filter reads another error", arguments: [false, true])
    func rejectionIsKept(streams: Bool) async throws {
        struct Envelope: Error, Decodable { let code: String }
        let server = try LoopbackServer.test { _ in
            .status(
                401, body: Data(#"{"code":"locked"}"#.utf8),
                headers: ["WWW-Authenticate": "Digest realm=r, nonce=n, qop=\"auth-int\"", "X-Trace": "7"])
        }
        var channel = try channel(server.url)
        channel.errorFilter = .rejection(Envelope.self)
        let manager = channel.manager
        let response =
            streams
            ? await manager.stream(.get("thing")).map { _ in () }
            : await manager.response(for: .get("thing"), as: .data).map { _ in () }
        let error = try #require(response.error)
        #expect(error.app(DigestAuthentication.Failure.self) == .unsupportedProtection("auth-int"))
        #expect(response.head?.status == .unauthorized && response.head?.headers[.init("X-Trace")!] == "7")
        #expect(response.data == Data(#"{"code":"locked"}"#.utf8))
        #expect(response.metrics?.httpVersion == "HTTP/1.1" && response.attempts.map(\.status) == [401])
        #expect(response.attempts[0].metrics != nil && response.attempts[0].error?.label == error.label)
        #expect(error.context.head == response.head && error.context.body == response.data)
    }

    @Test("a challenge without qop is answered if that is allowed, also in advance and after a stale nonce")
    func legacy() async throws {
        let (digest, _, channel) = try served(isLegacy: true, allowsLegacy: true)
        var isolated = channel
        isolated.attemptMiddleware = channel.attemptMiddleware.map { $0.isolatedCopy() }
        for copy in [channel, isolated] {
            for path in ["thing", "a?q=1"] { #expect(await status(copy, TestEndpoint(path)) == 200) }
            digest.expire()
            #expect(await status(copy, TestEndpoint("thing", .post)) == 200)
        }
    }

    @Test("a challenge without qop is rejected by default, and the error names the setting that allows it")
    func legacyRejected() async throws {
        let (_, server, channel) = try served(isLegacy: true)
        let error = await channel.manager.response(for: TestEndpoint(), as: .nothing).error
        #expect(error?.app(DigestAuthentication.Failure.self) == .unsupportedProtection(nil))
        #expect(error?.description.contains("allowsLegacyChallenges: true") == true)
        #expect(server.requests.map { $0.headers["authorization"] } == [nil])
    }

    @Test("answers only the environment's origin and the named ones, and keeps a caller's own header")
    func origins() async throws {
        let digest = DigestServer()
        let servers = try (0..<3).map { _ in try LoopbackServer.test { digest.reply(to: $0, .ok()) } }
        let (server, named, stranger) = (servers[0], servers[1], servers[2])
        let channel = try channel(server.url, origins: [named.url])
        #expect(await status(channel, TestEndpoint(baseURL: named.url)) == 200)
        #expect(await status(channel, TestEndpoint(baseURL: stranger.url)) == 401)
        #expect(stranger.requests.map { $0.headers["authorization"] } == [nil])
        #expect(await status(channel, TestEndpoint(headers: ["Authorization": "Bearer mine"])) == 400)
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer mine"])
    }

    @Test("a redirect to a foreign origin takes no credentials along, and its challenge is not answered")
    func redirectElsewhere() async throws {
        let digest = DigestServer()
        let stranger = try LoopbackServer.test { DigestServer().reply(to: $0, .ok()) }
        let server = try LoopbackServer.test { digest.reply(to: $0, .redirect(to: stranger.url + "/x")) }
        let channel = try channel(server.url)
        #expect(await status(channel) == 401)
        #expect(server.requests.count == 2)
        #expect(stranger.requests.map { $0.headers["authorization"] } == [nil])
    }

    @Test("after a redirect within the origin, the new target's challenge is answered")
    func redirectWithin() async throws {
        let digest = DigestServer()
        let server = try LoopbackServer.test { request in
            digest.reply(to: request, request.path == "/b" ? .ok() : .redirect(to: "/b", status: 303))
        }
        let channel = try channel(server.url)
        #expect(await status(channel, TestEndpoint("a")) == 200)
        #expect(
            server.requests.map { "\($0.path) \($0.headers["authorization"] != nil)" } == ["/a false", "/a true", "/b true"])
        digest.expire()
        #expect(await status(channel, TestEndpoint("a", .post)) == 200)
        #expect(server.requests.dropFirst(3).map { "\($0.method) \($0.path)" } == ["POST /a", "POST /a", "GET /b"])
        #expect(digest.repeated.isEmpty)
    }

    @Test(
        "a real httpbin accepts the response",
        arguments: ["auth/user/passwd/MD5", "auth/user/passwd/SHA-256", "auth/user/passwd", "auth/user/passwd/MD5/3"])
    func httpbin(_ path: String) async throws {
        let variable = "NETWORKERKIT_HTTPBIN_URL"
        let url = try #require(
            ProcessInfo.processInfo.environment[variable], "expected the base URL of a running httpbin in \(variable)")
        for (password, expected) in [("passwd", 200), ("wrong", 401)] {
            var channel = try channel(url, password: Secret(password))
            channel.cookies = CookieJar()  // httpbin remembers in cookies which nonces are too old.
            for _ in 0..<2 { #expect(await status(channel, TestEndpoint("digest-auth/\(path)")) == expected) }
        }
    }
}
