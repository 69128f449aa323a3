import TestSupport

@Suite("Around a call", .closing, .timeLimit(.minutes(1)))
struct AroundACallTests {
    /// Has one entity, with the validator `"1"`.
    private func validatingServer() throws -> LoopbackServer {
        try .test { $0.headers["if-none-match"] == "\"1\"" ? .status(304) : .ok("fresh", headers: ["ETag": "\"1\""]) }
    }

    private func tokens(_ server: LoopbackServer) -> [String?] { server.requests.map { $0.headers["if-none-match"] } }

    @Test("the ETag cache sends its validator, answers a 304 with what it kept, and leaves streams alone")
    func cache() async throws {
        let server = try validatingServer()
        let manager = Channel.test(server) { $0.attemptMiddleware = [ETagCache()] }.manager
        for _ in 0..<2 {
            #expect(try await manager.stream(.get("thing")).value.collect(upTo: 10) == Data("fresh".utf8))
            #expect(try await manager.response(for: .get("thing"), as: .text).value == "fresh")
        }
        #expect(tokens(server) == [nil, nil, nil, "\"1\""])
    }

    @Test("the ETag cache keeps no truncated response, and none for another token")
    func cacheKeepsWholeResponsesOfOneToken() async throws {
        let server = try LoopbackServer.test { request in
            guard request.headers["if-none-match"] == nil else { return .status(304) }
            guard request.headers["authorization"] == nil else { return .ok("answer", headers: ["ETag": "\"1\""]) }
            return [
                .sendHead(status: 200, headers: ["ETag": "\"1\"", "Content-Length": "100"]), .sendBody(Data("ans".utf8)),
                .closeConnection,
            ]
        }
        let manager = Channel.test(server) { ($0.attemptMiddleware, $0.limits.attempts) = ([ETagCache()], 1) }.manager
        for headers in [[:], ["Authorization": "a"], ["Authorization": "b"], ["Authorization": "a"], [:]] as [Headers] {
            _ = await manager.response(for: TypedEndpoint.get("x", headers: headers), as: .text)
        }
        #expect(tokens(server) == [nil, nil, nil, "\"1\"", nil])
    }

    @Test("single flight sends one request for simultaneous calls, and each call decodes for itself")
    func flight() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { _ in .json(#"{"id":7}"#).after(.waitFor(gate)) }
        let (built, tell) = AsyncStream.makeStream(of: Void.self)
        struct Built: Listener {
            let tell: AsyncStream<Void>.Continuation
            func notify(_ event: CallEvent) {
                if case .built = event { tell.yield() }
            }
        }
        let manager = Channel.test(server) {
            ($0.listeners, $0.callMiddleware) = ([Built(tell: tell)], [SingleFlight()])
        }.manager
        let dictionary = Task { try await manager.response(for: .get("thing"), as: [String: Int].self).value }
        let json = Task { try await manager.response(for: .get("thing"), as: .json).value }
        var calls = built.makeAsyncIterator()
        for _ in 0..<2 { await calls.next() }
        try await server.waitForRequests(1)
        gate.open()
        #expect(try await dictionary.value == ["id": 7])
        #expect(try await json.value["id"]?.int == 7)
        #expect(server.requests.count == 1)
    }

    @Test("single flight shares no response between tokens, and no stream")
    func separateFlights() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { .ok($0.headers["authorization"] ?? "").after(.waitFor(gate)) }
        let manager = Channel.test(server) { $0.callMiddleware = [SingleFlight()] }.manager
        async let first = manager.response(for: .get("x", headers: ["Authorization": "a"]), as: .text)
        async let second = manager.response(for: .get("x", headers: ["Authorization": "b"]), as: .text)
        async let third = manager.stream(.get("x", headers: ["Authorization": "c"])).value.collect(upTo: 10)
        async let fourth = manager.stream(.get("x", headers: ["Authorization": "c"])).value.collect(upTo: 10)
        try await server.waitForRequests(4)
        gate.open()
        #expect(try await [first.value, second.value] == ["a", "b"])
        #expect(try await [third, fourth] == [Data("c".utf8), Data("c".utf8)])
    }

    @Test("streams released unread hold no connection behind the ETag cache or single flight", arguments: [true, false])
    func released(isCache: Bool) async throws {
        let server = try LoopbackServer.test { _ in
            .ok(String(repeating: "a", count: 8 << 20), headers: ["ETag": "\"1\""])
        }
        let manager = Channel.test(server) {
            $0.limits.connectionsPerHost = 1
            if isCache { $0.attemptMiddleware = [ETagCache()] } else { $0.callMiddleware = [SingleFlight()] }
        }.manager
        // With one connection, the next stream waits until the previous one ends.
        for _ in 0..<5 { #expect(await manager.stream(.get("thing")).error == nil) }
    }

    @Test("the breaker sends nothing after five failures in a row; a success counts anew, and a cancelled call does not count")
    func breaker() async throws {
        let script: [Int?] = [500, 500, 500, 500, 200, 500, 500, 500, 500, nil, 500]
        let server = try LoopbackServer.test(script: script.map { $0.map { .status($0) } ?? .stallBeforeHead })
        let manager = Channel.test(server) { $0.attemptMiddleware = [Breaker()] }.manager
        for (index, status) in script.enumerated() {
            let call = Task { await manager.response(for: .get("thing"), as: .nothing) }
            try await server.waitForRequests(index + 1)
            if status == nil { call.cancel() }
            let response = await call.value
            #expect(response.head?.status.code == status && (response.error?.isCancelled == true) == (status == nil))
        }
        #expect(await manager.response(for: .get("thing"), as: .nothing).error?.underlyingError is Breaker.IsOpen)
        #expect(server.requests.count == script.count)
    }

    @Test("the breaker sends again after its pause")
    func breakerCloses() async throws {
        let server = try LoopbackServer.test { _ in .status(500) }
        let manager = Channel.test(server) { $0.attemptMiddleware = [Breaker(pause: .milliseconds(50))] }.manager
        for _ in 0..<5 { #expect(await manager.response(for: .get("thing"), as: .nothing).head != nil) }
        // The end of a pause gives no signal.
        for _ in 0..<500 where server.requests.count == 5 {
            _ = await manager.response(for: .get("thing"), as: .nothing)
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(server.requests.count == 6)
    }

    @Test("the signer signs each hop, and nothing for another server")
    func signs() async throws {
        let other = try LoopbackServer.test { _ in .ok() }
        let server = try LoopbackServer.test { .redirect(to: $0.path == "/thing" ? "/other" : other.url + "/thing") }
        let manager = Channel.test(server) { $0.attemptMiddleware = [signer { "signed \($0)" }] }.manager
        #expect(await manager.response(for: .get("thing"), as: .nothing).error == nil)
        #expect(server.requests.map { $0.headers["x-signature"] } == ["signed GET /thing", "signed GET /other"])
        #expect(other.requests.map { $0.headers["x-signature"] } == [nil])
    }
}
