import TestSupport

/// Hooks above the transport: they work the same with each.
extension Case {
    static let hooks: [Case] =
        [
            Case("a rejected GET is sent again by the retry policy") { _, number in
                number == 0 ? Answer(503) : Answer(200, body: "at last")
            } run: { stage async throws in
                let response = await stage.send { $0.interceptors = [RetryPolicy(base: .zero)] }
                #expect(try response.value == Data("at last".utf8))
                #expect(response.attempts.map(\.status) == [503, 200])
                #expect(stage.requests.count == 2)
            },
            Case("a body is sent again, whole, with the retry of a PUT") { _, number in
                Answer(number == 0 ? 503 : 200)
            } run: { stage async throws in
                let response = await stage.send(.put, body: sequence(length: 12)) { $0.interceptors = [RetryPolicy(base: .zero)] }
                #expect(response.error == nil)
                #expect(stage.requests.map(\.text) == ["one two six ", "one two six "])
            },
            Case("a rejected POST is not sent again", Answer(503)) { stage async throws in
                let response = await stage.send(.post, body: .bytes(Data("pay".utf8))) {
                    $0.interceptors = [RetryPolicy(base: .zero)]
                }
                #expect(response.error?.label == "verification.unacceptableStatus.503")
                #expect(stage.requests.count == 1)
            },
            Case("a GET whose connection is lost is sent again by the retry policy") { scene in
                scene.number == 0 ? .closeWithoutReply : .ok("at last")
            } run: { stage async throws in
                let response = await stage.send { $0.interceptors = [RetryPolicy(base: .zero)] }
                #expect(try response.value == Data("at last".utf8))
                #expect(response.attempts.count == 2)
            },
            Case("a rejected token is fetched again once, for any number of rejected requests") { request, _ in
                switch (request.target, request.headers["Authorization"]) {
                case ("/token", _): Answer(200, body: "fresh", delay: .milliseconds(100))
                case (_, "Bearer fresh"): Answer(200, body: "welcome")
                default: Answer(401, ["WWW-Authenticate": "Bearer realm=\"here\""], body: "who?")
                }
            } run: { stage async throws in
                let bearer = BearerAuthentication(token: "stale") { _ in
                    try String(decoding: await stage.send(.get, "token").value, as: UTF8.self)
                }
                let answers = try await withThrowingTaskGroup { group in
                    for _ in 0..<4 { group.addTask { try await stage.send { $0.attemptMiddleware = [bearer] }.value } }
                    return try await group.reduce(into: []) { $0.append(String(decoding: $1, as: UTF8.self)) }
                }
                #expect(answers == Array(repeating: "welcome", count: 4))
                #expect(stage.requests.count { $0.target == "/token" } == 1)
            },
            Case("each attempt and each hop of a redirect is signed") { request, number in
                switch (request.target, number) {
                case ("/thing", _): Answer(307, ["Location": "/there"])
                case (_, 1): Answer(503)
                default: Answer(200)
                }
            } run: { stage async throws in
                let response = await stage.send(.put, body: .bytes(Data("text".utf8))) {
                    $0.interceptors = [RetryPolicy(base: .zero)]
                    $0.attemptMiddleware = [
                        RequestSigning { request in
                            let body = String(decoding: try request.body.bytesInMemory(), as: UTF8.self)
                            try request.setHeader("X-Signature", "\(request.url.target) \(body)")
                        }
                    ]
                }
                #expect(response.error == nil)
                let hops = ["/thing text", "/there text"]
                #expect(stage.requests.map { $0.headers["X-Signature"] } == hops + hops)
            },
            Case("a POST with a key is sent again by the retry policy, with the same key") { _, number in
                Answer(number == 0 ? 503 : 200)
            } run: { stage async throws in
                let response = await stage.send(.post, body: .bytes(Data("pay".utf8))) {
                    $0.interceptors = [RetryPolicy(base: .zero)]
                    $0.enhancers = [IdempotencyKey()]
                }
                #expect(response.error == nil)
                let keys = stage.requests.map { $0.headers["Idempotency-Key"] }
                #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
            },
            Case("listeners receive a call's events in one order") { request, number in
                switch (request.target, number) {
                case ("/thing", _): Answer(302, ["Location": "/there"])
                case (_, 1): Answer(503)
                default: Answer(200, body: "here")
                }
            } run: { stage async throws in
                let (one, other) = (Lines([]), Lines([]))
                _ = await stage.send {
                    $0.interceptors = [RetryPolicy(base: .zero)]
                    $0.listeners = [diary(one), diary(other)]
                }
                let hop = ["redirected 302 /there"]
                #expect(
                    one.current == ["built", "started 1"] + hop + ["read 503", "retrying", "started 2"] + hop
                        + ["read 200", "finished success"])
                #expect(other.current == one.current)
            },
            Case("listeners receive each head, and the body", needs: [.tellsHeads]) { request, _ in
                request.target == "/thing" ? Answer(302, ["Location": "/there"]) : Answer(200, body: "here")
            } run: { stage async throws in
                let lines = Lines([])
                let heads = FunctionLogger { event in
                    switch event {
                    case .head(_, let head): lines.change { $0.append("head \(head.status.code)") }
                    case .body(_, let received, _): lines.change { $0.append("body \(received)") }
                    default: break
                    }
                }
                _ = await stage.send { $0.listeners = [heads] }
                #expect(lines.current == ["head 302", "head 200", "body 4"])
            },
            Case("a Digest challenge is answered") { request, number in
                number == 0
                    ? Answer(401, ["WWW-Authenticate": #"Digest realm=r, qop="auth", algorithm=SHA-256, nonce="n""#], body: "?")
                    : Answer(200, body: request.headers["Authorization"] ?? "")
            } run: { stage async throws in
                let digest = try DigestAuthentication(username: "Mufasa", password: Secret("Circle of Life"))
                let response = await stage.send { $0.attemptMiddleware = [digest] }
                #expect(try String(decoding: response.value, as: UTF8.self).hasPrefix(#"Digest username="Mufasa", realm="r""#))
                #expect(stage.requests.map { $0.headers["Authorization"] == nil } == [true, false])
            },
        ]

    private typealias Lines = Shared<[String]>

    private static func diary(_ lines: Lines) -> FunctionLogger {
        FunctionLogger { event in
            let line: String? =
                switch event {
                case .built: "built"
                case .started(let attempt): "started \(attempt.number)"
                case .redirected(_, let status, let url): "redirected \(status) \(url.path)"
                case .read(_, let error): error?.label == "verification.unacceptableStatus.503" ? "read 503" : "read 200"
                case .retrying: "retrying"
                case .finished(let response): "finished \(response.error?.label ?? "success")"
                default: nil
                }
            if let line { lines.change { $0.append(line) } }
        }
    }
}
