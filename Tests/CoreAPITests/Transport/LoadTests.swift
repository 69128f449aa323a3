import TestSupport

@testable import CoreAPICore

@Suite("Many requests at once", .closing, .serialized, .timeLimit(.minutes(5)))
struct LoadTests {
    @Test("Of many requests, half of them cancelled, each ends once, also over two loops and a queue", arguments: [nil, 40])
    func cancelHalf(perHost: Int?) async throws {
        let server = try LoopbackServer.start { _ in .ok("x") }
        let limits = perHost.map { Limits.test(perHost: $0) }
        let transport = closing(CurlTransport(limits: limits, loops: limits == nil ? .shared : closing(LoopGroup(loops: 2))))
        let ends = await Requests(transport).cancelHalf(of: 15_000, server.url)
        let cancelled = try #require(ends["cancelled"])
        #expect(ends == ["done": 15_000 - cancelled, "cancelled": cancelled] && cancelled <= 7_500)
        #expect(transport.activeExchanges == 0 && transport.queuedExchanges == 0)
    }

    /// The loop sleeps until the request's timeout, so a lost wake-up is a request that times out.
    @Test("One after another: no wake-up is lost, so no request times out")
    func sequential() async throws {
        let server = try LoopbackServer.start { _ in .ok("x") }
        var requests = Requests(closing(CurlTransport(loops: closing(LoopGroup(loops: 1)))))
        requests.timeout = Timeout(.seconds(20))
        for _ in 0..<3_000 { #expect(try await requests.send(.get, server.url).status == 200) }
    }

    @Test("A queue of 10,000 is processed, and every request reports its waiting time")
    func longQueue() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.start { _ in ServerReply.ok("x").after(.waitFor(gate)) }
        var requests = Requests()
        requests.timeout = Timeout(.seconds(600))
        let sender = requests
        let waits = Mutex<[Duration]>([])
        async let sends: Void = each(of: 10_000, atOnce: 10_000) { _ in
            guard let response = try? await sender.send(.get, server.url), response.status == 200 else { return }
            waits.withLock { $0.append(response.metrics?.queued ?? .zero) }
        }
        while requests.transport.activeExchanges + requests.transport.queuedExchanges < 10_000 {
            try await Task.sleep(for: .milliseconds(5))
        }
        // All of them are there from this moment on, and those in the queue wait at least until the gate opens.
        let (queued, moment) = (requests.transport.queuedExchanges, ContinuousClock.now)
        try await Task.sleep(for: .milliseconds(50))
        let wait = moment.duration(to: .now)
        gate.open()
        await sends
        #expect(queued > 9_000)
        #expect(waits.withLock { $0.count } == 10_000 && waits.withLock { $0.count { $0 >= wait } } >= queued)
    }

    @Test("A waiting request can be cancelled and can time out")
    func queuedEnds() async throws {
        let server = try LoopbackServer.start { _ in .stallBeforeHead }
        let transport = CurlTransport(limits: .test(perHost: 1))
        let requests = Requests(transport)
        let holding = Task { try await requests.send(.get, server.url) }
        try await server.waitForRequests(1)
        let cancelled = Task { try await requests.send(.get, server.url) }
        while transport.queuedExchanges < 1 { try await Task.sleep(for: .milliseconds(2)) }
        #expect(
            try await requests.send(.get, server.url, timeout: Timeout(.milliseconds(100))).transportError?.label
                == "timedOut.total")
        cancelled.cancel()
        #expect(try await cancelled.value.error?.isCancelled == true)
        #expect(server.requests.count == 1)
        await transport.close()
        _ = try await holding.value
    }

    @Test("Requests that time out together in the queue are not started just to time out a moment later")
    func expiringTogether() async throws {
        let server = try LoopbackServer.start { _ in .stallBeforeHead }
        let transport = closing(CurlTransport(limits: .test(perHost: 4)))
        var pattern = try Requests(transport).make(.get, server.url)
        // One call, so that their timeouts begin together and expire within 12 ms.
        let ends = (0..<240).map { index in
            pattern.timeout.total = .milliseconds(1_000) + .microseconds(index * 50)
            return Task { [pattern] in await transport.send(pattern) }
        }
        for end in ends {
            let response = await end.value
            #expect(response.transportError?.label == "timedOut.total")
            #expect(response.request.map { $0.call.started.duration(to: .now) >= $0.timeout.total } == true)
        }
        #expect(server.connectionsAccepted <= 4)
        #expect(transport.activeExchanges == 0 && transport.queuedExchanges == 0)
    }
}
