import TestSupport

@Suite("The page about authentication", .closing, .timeLimit(.minutes(1)))
struct AuthenticationTests {
    @Test("a refresh token is replaced with each use, and the call is sent again with the new token")
    func rotation() async throws {
        struct Session {
            var number = 0
            var isFresh = false
        }
        let session = Mutex(Session())
        let server = try LoopbackServer.test { request in
            session.withLock { session in
                if request.path == "/token" {
                    guard request.bodyText == #"{"refreshToken":"r\#(session.number)"}"# else { return .status(400) }
                    session = Session(number: session.number + 1, isFresh: true)
                    return .json(#"{"accessToken": "a\#(session.number)", "refreshToken": "r\#(session.number)"}"#)
                }
                guard request.headers["authorization"] == "Bearer a\(session.number)", session.isFresh else {
                    return .status(401)
                }
                session.isFresh = false
                return .ok("in")
            }
        }
        var channel = Channel.test(server)
        let stored = "r0"
        let refreshToken = RefreshToken(stored)
        channel.attemptMiddleware = [
            BearerAuthentication { response in try await refreshToken.renew(through: response.call.channel) }
        ]
        let dispatcher = CommonDispatcher(channel: channel)
        for _ in 0..<2 { #expect(try await dispatcher.request(.get("thing"), as: .text) == "in") }
        #expect(server.requests.map(\.path) == ["/thing", "/token", "/thing", "/thing", "/token", "/thing"])
    }

    @Test("a channel's tokens are its credentials, and a rejected one is replaced through the channel")
    func channelTokens() async throws {
        let server = try LoopbackServer.test { request in
            if request.path == "/token" {
                guard request.bodyText == #"{"refreshToken":"r"}"# else { return .status(400) }
                return .json(#"{"accessToken": "new", "refreshToken": "r"}"#)
            }
            return request.headers["authorization"] == "Bearer new" ? .ok("in") : .status(401)
        }
        let channel = Channel.test(server).with {
            $0.credentials = ["BAZAAR_ACCESS_TOKEN": "old", "BAZAAR_REFRESH_TOKEN": "r"]
            $0.attemptMiddleware = Channel.bazaar.attemptMiddleware
        }
        #expect(try await CommonDispatcher(channel: channel).request(.get("thing"), as: .text) == "in")
        let tokens = server.requests.map { $0.headers["authorization"] }
        #expect(tokens == ["Bearer old", nil, "Bearer new"])
    }

    @Test("a signature covers the request, the date and the body, and a body that is a file has none")
    func signature() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let channel = Channel.test(server).with {
            $0.credentials = ["BAZAAR_SECRET": "s"]
            $0.attemptMiddleware = [signing()]
        }
        let dispatcher = CommonDispatcher(channel: channel)
        try await dispatcher.request(.put("thing?a=1", encoding: .body(.bytes(Data("text".utf8)))))
        let headers = try #require(server.requests.first?.headers)
        let date = try #require(headers["x-date"])
        // The SHA-256 of "text", by sha256sum.
        let digest = "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1"
        let code = RequestSigning.hmacSHA256("PUT\n/thing?a=1\n\(date)\n\(digest)", key: "s")
        #expect(headers["x-signature"] == code.base64EncodedString())
        let file = TypedEndpoint.put("thing", encoding: .body(.file(URL(fileURLWithPath: "/dev/null"))))
        let error = await dispatcher.response(for: file, as: .nothing).error
        #expect(error?.underlyingError as? BodyError == .notInMemory(.file))
        #expect(server.requests.count == 1)
    }

    /// A server of tokens, which numbers them.
    private func identity(lifetime: Int) throws -> LoopbackServer {
        let count = Mutex(0)
        return try LoopbackServer.test { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .json(#"{"access_token": "t\#(number)", "expires_in": \#(lifetime)}"#)
        }
    }

    @Test("the client's credentials fetch one token for simultaneous calls, before their requests")
    func credentials() async throws {
        let identity = try identity(lifetime: 3_600)
        let server = try LoopbackServer.start { _ in .ok() }
        defer { for server in [identity, server] { server.close() } }
        let (channel, dispatcher) = protected(server, by: identity)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { try await dispatcher.request(.get("thing")) } }
            try await group.waitForAll()
        }
        #expect(server.requests.map { $0.headers["authorization"] } == Array(repeating: "Bearer t1", count: 5))
        #expect(identity.requests.map(\.bodyText) == ["grant_type=client_credentials"])
        #expect(identity.requests.first?.headers["authorization"] == "Basic YTpi")
        await channel.close()
    }

    @Test("a token is replaced ahead of its expiry, and after a rejection")
    func expiry() async throws {
        let short = try identity(lifetime: 0)
        let long = try identity(lifetime: 3_600)
        let server = try LoopbackServer.start { $0.path == "/rejected" ? .status(401) : .ok() }
        defer { for server in [short, long, server] { server.close() } }
        for (identity, path) in [(short, "thing"), (long, "rejected")] {
            let (channel, dispatcher) = protected(server, by: identity)
            for _ in 0..<2 { _ = await dispatcher.response(for: TypedEndpoint.get(path), as: .nothing) }
            await channel.close()
        }
        let tokens = ["Bearer t1", "Bearer t2"]
        #expect(server.requests.map { $0.headers["authorization"] } == tokens + tokens)
    }

    @Test("a redirect to another origin takes no token along")
    func redirect() async throws {
        let identity = try identity(lifetime: 3_600)
        let other = try LoopbackServer.start { _ in .ok() }
        let server = try LoopbackServer.start { [url = other.url] _ in .redirect(to: url) }
        defer { for server in [identity, other, server] { server.close() } }
        let (channel, dispatcher) = protected(server, by: identity)
        try await dispatcher.request(.get("thing"))
        #expect(other.requests.map { $0.headers["authorization"] } == [nil])
        await channel.close()
    }

    @Test("a failed token request fails the call with its own error")
    func failure() async throws {
        let identity = try LoopbackServer.start { _ in .status(503) }
        let server = try LoopbackServer.start { _ in .ok() }
        defer { for server in [identity, server] { server.close() } }
        let (channel, dispatcher) = protected(server, by: identity)
        let response = await dispatcher.response(for: TypedEndpoint.get("thing"), as: .nothing)
        #expect(response.error?.label == "verification.unacceptableStatus.503")
        #expect(server.requests.isEmpty)
        await channel.close()
    }

    private func protected(_ server: LoopbackServer, by identity: LoopbackServer) -> (Channel, CommonDispatcher) {
        var channel = Channel.test(server)
        let identity = Channel.test(identity)
        channel.attemptMiddleware = [clientCredentials(from: identity, id: "a", secret: "b")]
        return (channel, CommonDispatcher(channel: channel))
    }
}
