import TestSupport

@Suite("The page about authentication", .closing, .timeLimit(.minutes(1)))
struct AuthenticationTests {
    @Test("a refresh token is replaced with each use, and the call is sent again with the new token")
    func rotation() async throws {
        struct Session {
            var number = 0
            var isFresh = false
        }
        let session = Shared(Session())
        let server = try LoopbackServer.test { request in
            session.take { session in
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
        let dispatcher = channel.dispatcher
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
        let channel = Channel.test(server) {
            $0.credentials = ["BAZAAR_ACCESS_TOKEN": "old", "BAZAAR_REFRESH_TOKEN": "r"]
            $0.attemptMiddleware = Channel.bazaar.attemptMiddleware
        }
        #expect(try await channel.manager.request(.get("thing"), as: .text) == "in")
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer old", nil, "Bearer new"])
    }

    @Test("a signature covers the request, the date and the body, and a body that is a file has none")
    func signature() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let channel = Channel.test(server) {
            $0.credentials = ["BAZAAR_SECRET": "s"]
            $0.attemptMiddleware = [signing()]
        }
        let dispatcher = channel.dispatcher
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
        let count = Shared(0)
        return try .test { _ in .json(#"{"access_token": "t\#(count.next() + 1)", "expires_in": \#(lifetime)}"#) }
    }

    @Test("the client's credentials fetch one token for simultaneous calls, before their requests")
    func credentials() async throws {
        let identity = try identity(lifetime: 3_600)
        let server = try LoopbackServer.test { _ in .ok() }
        let dispatcher = protected(server, by: identity)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { try await dispatcher.request(.get("thing")) } }
            try await group.waitForAll()
        }
        #expect(server.requests.map { $0.headers["authorization"] } == Array(repeating: "Bearer t1", count: 5))
        #expect(identity.requests.map(\.bodyText) == ["grant_type=client_credentials"])
        #expect(identity.requests.first?.headers["authorization"] == "Basic YTpi")
    }

    @Test("a token is replaced ahead of its expiry, and after a rejection")
    func expiry() async throws {
        let short = try identity(lifetime: 0)
        let long = try identity(lifetime: 3_600)
        let server = try LoopbackServer.test { $0.path == "/rejected" ? .status(401) : .ok() }
        for (identity, path) in [(short, "thing"), (long, "rejected")] {
            let dispatcher = protected(server, by: identity)
            for _ in 0..<2 { _ = await dispatcher.response(for: TypedEndpoint.get(path), as: .nothing) }
        }
        let tokens = ["Bearer t1", "Bearer t2"]
        #expect(server.requests.map { $0.headers["authorization"] } == tokens + tokens)
    }

    @Test("a redirect to another origin takes no token along")
    func redirect() async throws {
        let identity = try identity(lifetime: 3_600)
        let other = try LoopbackServer.test { _ in .ok() }
        let server = try LoopbackServer.test { [url = other.url] _ in .redirect(to: url) }
        let dispatcher = protected(server, by: identity)
        try await dispatcher.request(.get("thing"))
        #expect(other.requests.map { $0.headers["authorization"] } == [nil])
    }

    @Test("a failed token request fails the call with its own error")
    func failure() async throws {
        let identity = try LoopbackServer.test { _ in .status(503) }
        let server = try LoopbackServer.test { _ in .ok() }
        let dispatcher = protected(server, by: identity)
        let response = await dispatcher.response(for: TypedEndpoint.get("thing"), as: .nothing)
        #expect(response.error?.label == "verification.unacceptableStatus.503")
        #expect(server.requests.isEmpty)
    }

    private func protected(_ server: LoopbackServer, by identity: LoopbackServer) -> CommonDispatcher {
        let credentials = clientCredentials(from: Channel.test(identity), id: "a", secret: "b")
        return Channel.test(server) { $0.attemptMiddleware = [credentials] }.dispatcher
    }
}
