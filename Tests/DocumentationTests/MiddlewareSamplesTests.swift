import TestSupport

@Suite("The middleware samples", .closing, .timeLimit(.minutes(1)))
struct MiddlewareSamplesTests {
    /// Has one entity, with the validator `"1"`.
    private func validatingServer() throws -> LoopbackServer {
        try LoopbackServer.test { request in
            request.headers["if-none-match"] == "\"1\"" ? .status(304) : .ok("fresh", headers: ["ETag": "\"1\""])
        }
    }

    @Test("the ETag cache sends its validator and answers a 304 with its stored response")
    func cache() async throws {
        let server = try validatingServer()
        let manager = Channel.test(server) { $0.attemptMiddleware = [ETagCache()] }.manager
        for _ in 0..<2 { #expect(try await manager.response(for: .get("thing"), as: .text).value == "fresh") }
        #expect(server.requests.map { $0.headers["if-none-match"] } == [nil, "\"1\""])
    }

    @Test("the ETag cache keeps no truncated answer, and none for another token")
    func cacheKeepsWholeAnswersOfOneToken() async throws {
        let server = try LoopbackServer.test { request in
            guard request.headers["if-none-match"] == nil else { return .status(304) }
            let isCut = request.headers["authorization"] == nil
            guard isCut else { return .ok("answer", headers: ["ETag": "\"1\""]) }
            return [
                .sendHead(status: 200, headers: ["ETag": "\"1\"", "Content-Length": "100"]), .sendBody(Data("ans".utf8)),
                .closeConnection,
            ]
        }
        let manager = Channel.test(server) { ($0.attemptMiddleware, $0.limits.attempts) = ([ETagCache()], 1) }.manager
        for headers in [[:], ["Authorization": "a"], ["Authorization": "b"], ["Authorization": "a"], [:]] as [Headers] {
            _ = await manager.response(for: TypedEndpoint.get("x", headers: headers), as: .text)
        }
        #expect(server.requests.map { $0.headers["if-none-match"] } == [nil, nil, nil, "\"1\"", nil])
    }

    @Test("single flight shares no response between tokens, and a failed verification is each call's own")
    func flightsOfTwoTokens() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { .ok($0.headers["authorization"] ?? "").after(.waitFor(gate)) }
        let manager = Channel.test(server) { $0.callMiddleware = [SingleFlight()] }.manager
        async let first = manager.response(for: .get("x", headers: ["Authorization": "a"]), as: .text)
        async let second = manager.response(for: .get("x", headers: ["Authorization": "b"]), as: .text)
        while server.requests.count < 2 { await Task.yield() }
        gate.open()
        #expect(try await [first.value, second.value] == ["a", "b"])
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

    @Test("the metrics count beside the log and another listener")
    func metrics() async throws {
        struct Finishes: Listener {
            let tell: AsyncStream<String>.Continuation
            func notify(_ event: CallEvent) {
                if case .finished(let response) = event { tell.yield(response.call.id) }
            }
        }
        let server = try LoopbackServer.test { $0.path == "/thing" ? .ok("done") : .status(503) }
        let (finishes, tell) = AsyncStream.makeStream(of: String.self)
        let (lines, write) = AsyncStream.makeStream(of: String.self)
        let metrics = Metrics()
        let manager = Channel.test(server) {
            $0.logger = CoreNetworkLogger { write.yield($0) }
            $0.listeners = [Finishes(tell: tell), metrics]
            $0.interceptors = [RetryPolicy(attempts: 2, base: .zero)]
        }.manager
        let first = await manager.response(for: .get("thing"), as: .text)
        let second = await manager.response(for: .get("other"), as: .text)
        tell.finish()
        write.finish()
        #expect(metrics.totals == ["success": 1, "retry": 1, "verification.unacceptableStatus.503": 1])
        #expect(await finishes.reduce(into: []) { $0.append($1) } == [first.call.id, second.call.id])
        let log = await lines.reduce(into: []) { $0.append($1) }
        #expect(log.count { $0.contains(first.call.id) } == 2, "\(log)")
        #expect(log.count { $0.contains(second.call.id) } == 4, "\(log)")
    }

    @Test("a stream passes the ETag cache without a validator, and is not kept")
    func cacheWithStreams() async throws {
        let server = try validatingServer()
        let manager = Channel.test(server) { $0.attemptMiddleware = [ETagCache()] }.manager
        for _ in 0..<2 {
            #expect(try await manager.stream(.get("thing")).value.collect(upTo: 10) == Data("fresh".utf8))
            #expect(try await manager.response(for: .get("thing"), as: .text).value == "fresh")
        }
        #expect(server.requests.map { $0.headers["if-none-match"] } == [nil, nil, nil, "\"1\""])
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

    @Test("each of two simultaneous streams has its own request and body behind single flight")
    func flightWithStreams() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test { _ in .ok("mine").after(.waitFor(gate)) }
        let manager = Channel.test(server) { $0.callMiddleware = [SingleFlight()] }.manager
        let calls = (0..<2).map { _ in Task { try await manager.stream(.get("thing")).value.collect(upTo: 10) } }
        try await server.waitForRequests(2)
        gate.open()
        for call in calls { #expect(try await call.value == Data("mine".utf8)) }
    }

    @Test("the breaker sends nothing after five failures in a row")
    func breaker() async throws {
        let server = try LoopbackServer.test { _ in .status(500) }
        let manager = Channel.test(server) { $0.attemptMiddleware = [Breaker()] }.manager
        for _ in 0..<5 { #expect(await manager.response(for: .get("thing"), as: .nothing).head?.status.code == 500) }
        let error = await manager.response(for: .get("thing"), as: .nothing).error
        #expect(error?.underlyingError is Breaker.IsOpen)
        #expect(server.requests.count == 5)
    }

    @Test("a success between failures lets the breaker count anew, and a cancelled call does not")
    func failuresInARow() async throws {
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

    @Test("the signer signs each hop")
    func signs() async throws {
        let server = try LoopbackServer.test { $0.path == "/thing" ? .redirect(to: "/other") : .ok() }
        let manager = Channel.test(server) { $0.attemptMiddleware = [signer { "signed \($0)" }] }.manager
        #expect(await manager.response(for: .get("thing"), as: .nothing).error == nil)
        #expect(server.requests.map { $0.headers["x-signature"] } == ["signed GET /thing", "signed GET /other"])
    }

    @Test("the signer signs nothing for another server")
    func signsNothingElsewhere() async throws {
        let other = try LoopbackServer.test { _ in .ok() }
        let server = try LoopbackServer.test { _ in .redirect(to: other.url + "/thing") }
        let manager = Channel.test(server) { $0.attemptMiddleware = [signer { "signed \($0)" }] }.manager
        #expect(await manager.response(for: .get("thing"), as: .nothing).error == nil)
        #expect(other.requests.map { $0.headers["x-signature"] } == [nil])
    }
}
