import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("The metrics of an exchange", .closing)
struct TransferMetricsTests {
    let requests = Requests()

    @Test("A reused connection has no connection times, not times of zero")
    func reuse() async throws {
        let server = try LoopbackServer.start { _ in .ok("12345").after(.wait(.milliseconds(30))) }
        let first = try #require(try await requests.send(.post, server.url, body: .bytes(Data("abc".utf8))).metrics)
        #expect(!first.isConnectionReused && first.connect != nil && first.nameLookup != nil)
        #expect(first.tls == nil)
        let second = try #require(try await requests.send(.post, server.url, body: .bytes(Data("abc".utf8))).metrics)
        #expect(second.isConnectionReused)
        #expect(second.connect == nil && second.nameLookup == nil && second.tls == nil)
        for metrics in [first, second] {
            #expect(metrics.bytesSent == 3 && metrics.bytesReceived == 5)
            #expect(metrics.firstByte ?? .zero >= .milliseconds(25))
            #expect(metrics.total >= metrics.firstByte ?? .zero && metrics.httpVersion == "HTTP/1.1")
            #expect(metrics.remoteAddress == "127.0.0.1" && metrics.remotePort == Int(server.port))
        }
    }

    @Test("Figures are those of the exchange from the moment it was sent, also in the turn in which its loop began it")
    func sentInItsFirstTurn() throws {
        let connections = LoopConnections()
        connections.beginTurn(1)
        let handle = try #require(CurlHandle(connections))
        let request = try requests.make(.get, "http://127.0.0.1")
        let exchange = Exchange(try PreparedRequest(Attempt(request), deadline: 60_000_000_000))
        (exchange.handle, exchange.clock.launchTurn) = (handle, connections.turn)
        #expect(handle.metrics(of: exchange, at: 0).bytesReceived == nil)
        exchange.sendings.count = 1
        #expect(handle.metrics(of: exchange, at: 0).bytesReceived == 0)
        exchange.sendings.restart()
        #expect(handle.metrics(of: exchange, at: 0).bytesReceived == nil)
        connections.beginTurn(1)
        #expect(handle.metrics(of: exchange, at: 0).bytesReceived == 0)
    }

    @Test("Redirects add up")
    func redirects() async throws {
        let server = try LoopbackServer.start { request in
            let reply: ServerReply = request.path == "/a" ? .redirect(to: "/b", status: 307) : .ok("12345")
            return reply.after(.wait(.milliseconds(30)))
        }
        let metrics = try #require(try await requests.send(.post, server.url + "/a", body: .bytes(Data("abc".utf8))).metrics)
        #expect(metrics.bytesSent == 6 && metrics.bytesReceived == 5 && metrics.total >= .milliseconds(55))
        #expect(metrics.redirects.map(\.path) == ["/b"])
    }

    @Test("A streamed response's bytes and whole time are known when its end was read, and not before")
    func streamed() async throws {
        // The whole body in one piece with the head, in two pieces, and cut off.
        let gate = try Gate()
        let half = Data(repeating: 1, count: 100_000)
        let server = try LoopbackServer.start { request in
            switch request.path {
            case "/short": .ok("12345")
            case "/none": .status(204)
            case "/cut": .truncated(declared: 10, sent: Data("abc".utf8))
            default:
                [
                    .sendHead(status: 200, headers: ["Content-Length": "200000"]), .sendBody(half), .waitFor(gate),
                    .wait(.milliseconds(30)), .sendBody(half),
                ]
            }
        }
        let channel = Channel.test(server.url, transport: requests.transport)
        for (path, bytes) in [("short", Int64(5)), ("cut", 3), ("long", 200_000)] {
            let response = await CommonDispatcher(channel: channel).stream(TypedEndpoint.get(path))
            let head = try #require(response.metrics, "\(response.result)")
            #expect(head.bytesReceived == nil && head.firstByte != nil, "\(path)")
            if path == "long" { gate.open() }
            _ = try? await response.value.collect(upTo: 1_000_000)
            let whole = try #require(response.metrics)
            #expect(whole.bytesReceived == bytes, "\(path)")
            #expect(whole.total >= head.total + (path == "long" ? .milliseconds(25) : .zero))
        }
        // Without a body they are known at once.
        #expect(await CommonDispatcher(channel: channel).stream(TypedEndpoint.get("none")).metrics?.bytesReceived == 0)
    }

    @Test("A request that cannot begin has no data of the previous exchange: no head, no cookies, no metrics")
    func cannotBegin() async throws {
        let server = try LoopbackServer.start { _ in .ok("12345", headers: ["Set-Cookie": "sid=secret", "X-Answer": "42"]) }
        let other = try LoopbackServer.start { _ in .ok("other") }
        let first = try await requests.send(.put, server.url, body: .bytes(Data("abc".utf8)))
        #expect(first.head?.headers[HTTPField.Name("x-answer")!] == "42")
        let second = try await requests.send(.put, other.url, body: .file(URL(fileURLWithPath: "/nowhere/at/all")))
        #expect(second.transportError?.label == "bodyUnreadable", "\(second.result)")
        #expect(second.head == nil && second.data.isEmpty)
        #expect(second.metrics?.remoteAddress == nil && second.metrics?.bytesReceived ?? 0 == 0)
        #expect(other.requests.isEmpty)
    }

    @Test("A request cancelled before libcurl starts it has no metrics of the previous exchange")
    func neverBegun() async throws {
        let (asked, gate) = (try Gate(), try Gate())
        let server = try LoopbackServer.start { _ in .ok("12345") }
        // The body blocks the thread, so this test needs its own one.
        let requests = Requests(closing(CurlTransport(loops: closing(LoopGroup(loops: 1)))))
        #expect(try await requests.send(.get, server.url).metrics?.bytesReceived == 5)
        // Holds the thread up, so that it hears of the next request and of its end at once.
        let body = Body.Stream.oneByte {
            asked.open()
            for _ in 0..<20_000 where !gate.isOpen { _ = usleep(1_000) }
        }
        async let holding = requests.send(.post, server.url, body: .stream(body))
        try await asked.waitUntilOpen(timeout: .seconds(10))
        let request = try requests.make(.get, server.url)
        let task = Task { await requests.transport.send(request) }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        gate.open()
        let response = await task.value
        #expect(response.error?.isCancelled == true)
        #expect(
            response.metrics?.bytesReceived ?? 0 == 0 && response.metrics?.remoteAddress == nil,
            "\(String(describing: response.metrics))")
        #expect(try await holding.status == 200)
    }

    @Test("Time in the queue is measured separately, and is part of the call's total")
    func queue() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.start { request in
            request.path == "/first" ? ServerReply.ok("x").after(.waitFor(gate)) : .ok("y")
        }
        let requests = Requests(closing(CurlTransport(limits: .test(perHost: 1))))
        let first = try requests.make(.get, server.url + "/first")
        let second = try requests.make(.get, server.url + "/second")
        let holding = Task { await requests.transport.send(first) }
        try await server.waitForRequests(1)
        let waiting = Task { await requests.transport.send(second) }
        while requests.transport.queuedExchanges < 1 { try await Task.sleep(for: .milliseconds(2)) }
        let late = try await requests.send(.get, server.url + "/third", timeout: Timeout(.milliseconds(150)))
        // It never left the queue, so the queue's time is its whole total.
        #expect(late.transportError?.label == "timedOut.total")
        gate.open()
        let metrics = try #require(await waiting.value.metrics)
        #expect(metrics.queued >= .milliseconds(150) && metrics.total > .zero)
        #expect(await holding.value.metrics.map { $0.queued < metrics.queued && $0.total >= .milliseconds(150) } == true)
        #expect(server.requests.map(\.path) == ["/first", "/second"])
    }

    @Test("The linked libcurl reports its version and capabilities")
    func capabilities() {
        #expect(CurlTransport.version.split(separator: ".").count == 3)
        let capabilities = CurlTransport.capabilities
        #expect(capabilities.protocols.contains("https") && capabilities.tlsBackend != nil)
        #expect(capabilities.httpVersions == ["1.1", "2"])
        #expect(capabilities.contentCodings == ["deflate", "gzip", "br", "zstd"])
        #expect(capabilities.pinsWholeChain && capabilities.hasPublicSuffixList)
        #expect(capabilities.limits.headLine == 102_400 && capabilities.limits.head == 307_200)
    }
}
