import TestSupport

@Suite("Authentication", .closing, .timeLimit(.minutes(1)))
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
                defer { session.isFresh = false }
                let isKnown = session.isFresh && request.headers["authorization"] == "Bearer a\(session.number)"
                return isKnown ? .ok("in") : .status(401)
            }
        }
        let refreshToken = RefreshToken("r0")
        let dispatcher = Channel.test(server) {
            $0.attemptMiddleware = [
                BearerAuthentication { response in try await refreshToken.renew(through: response.call.channel) }
            ]
        }.dispatcher
        for _ in 0..<2 { #expect(try await dispatcher.request(.get("thing"), as: .text) == "in") }
        #expect(server.requests.map(\.path) == ["/thing", "/token", "/thing", "/thing", "/token", "/thing"])
    }

    /// A server of tokens, which numbers them.
    private func identity(lifetime: Int) throws -> LoopbackServer {
        let count = Shared(0)
        return try .test { _ in .json(#"{"access_token": "t\#(count.next() + 1)", "expires_in": \#(lifetime)}"#) }
    }

    private func protected(_ server: LoopbackServer, by identity: LoopbackServer) -> CommonDispatcher {
        let credentials = clientCredentials(from: Channel.test(identity), id: "a", secret: "b")
        return Channel.test(server) { $0.attemptMiddleware = [credentials] }.dispatcher
    }

    private func tokens(_ server: LoopbackServer) -> [String?] { server.requests.map { $0.headers["authorization"] } }

    @Test("the client's credentials fetch one token for simultaneous calls, before their requests")
    func credentials() async throws {
        let identity = try identity(lifetime: 3_600)
        let server = try LoopbackServer.test { _ in .ok() }
        let dispatcher = protected(server, by: identity)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { try await dispatcher.request(.get("thing")) } }
            try await group.waitForAll()
        }
        #expect(tokens(server) == Array(repeating: "Bearer t1", count: 5))
        #expect(identity.requests.map(\.bodyText) == ["grant_type=client_credentials"])
        #expect(tokens(identity) == ["Basic YTpi"])
    }

    @Test("a token is replaced ahead of its expiry, and after a rejection", arguments: [(0, "thing"), (3_600, "rejected")])
    func expiry(lifetime: Int, path: String) async throws {
        let server = try LoopbackServer.test { $0.path == "/rejected" ? .status(401) : .ok() }
        let dispatcher = protected(server, by: try identity(lifetime: lifetime))
        for _ in 0..<2 { _ = await dispatcher.response(for: TypedEndpoint.get(path), as: .nothing) }
        #expect(tokens(server) == ["Bearer t1", "Bearer t2"])
    }

    @Test("a redirect to another origin takes no token along")
    func redirect() async throws {
        let other = try LoopbackServer.test { _ in .ok() }
        let server = try LoopbackServer.test { [url = other.url] _ in .redirect(to: url) }
        try await protected(server, by: try identity(lifetime: 3_600)).request(.get("thing"))
        #expect(tokens(other) == [nil])
    }

    @Test("a failed token request fails the call with its own error")
    func failure() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let dispatcher = protected(server, by: try .test { _ in .status(503) })
        let response = await dispatcher.response(for: TypedEndpoint.get("thing"), as: .nothing)
        #expect(response.error?.label == "verification.unacceptableStatus.503")
        #expect(server.requests.isEmpty)
    }
}
