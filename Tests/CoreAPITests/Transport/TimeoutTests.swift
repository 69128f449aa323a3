import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("The clocks of a call", .closing)
struct TimeoutTests {
    let requests = Requests()

    @Test("A TLS handshake that hangs counts as connecting")
    func handshake() async throws {
        let server = try LoopbackServer.startSilent()
        let response = try await requests.send(
            .get, "https://127.0.0.1:\(server.port)",
            timeout: Timeout(connect: .milliseconds(300), idle: .seconds(5), total: .seconds(5)))
        #expect(response.transportError?.label == "timedOut.connect")
    }

    @Test("If the call's own timeout expires first, or at the same time, the error names it", arguments: [200, 300])
    func totalWins(_ connect: Int) async throws {
        let listener = try StalledListener()
        let response = try await requests.send(
            .get, listener.url,
            timeout: Timeout(connect: .milliseconds(connect), idle: .milliseconds(200), total: .milliseconds(200)))
        #expect(response.transportError?.label == "timedOut.total")
    }

    @Test("An exchange that still connects is checked again when it could be idle", arguments: [false, true])
    func connecting(hasBody: Bool) throws {
        let exchange = Exchange(
            try PreparedRequest(
                Attempt(
                    requests.make(
                        .post, "http://127.0.0.1", body: hasBody ? .bytes(Data("x".utf8)) : .none,
                        timeout: Timeout(connect: .seconds(9), idle: .seconds(1), total: .seconds(60)))),
                deadline: 60_000_000_000))
        #expect(exchange.due(0) == 60_000_000_000)
        exchange.phase = .active
        #expect(exchange.due(5_000_000_000) == 6_000_000_000)
        exchange.sendings.count = 1
        exchange.clock.lastActivity = 5_500_000_000
        #expect(exchange.due(6_000_000_000) == 6_500_000_000)
    }

    @Test("An upload with progress is not idle, for any duration")
    func slowUpload() async throws {
        let server = try LoopbackServer.start { _ in .ok("done") }
        let pieces = 8
        let stream = Body.Stream {
            nonisolated(unsafe) var sent = 0
            return { _ in
                guard sent < pieces else { return Data() }
                sent += 1
                Thread.sleep(forTimeInterval: 0.3)
                return Data(repeating: 0x61, count: 1_000)
            }
        }
        // The body blocks the thread, so this test needs its own one.
        let transport = closing(CurlTransport(loops: closing(LoopGroup(loops: 1))))
        let response = try await Requests(transport).send(
            .post, server.url, body: .stream(stream),
            timeout: Timeout(connect: .seconds(5), idle: .seconds(2), total: .seconds(60)))
        #expect(response.text == "done")
    }

    @Test(
        "No duration is too small, too large or too negative",
        arguments: [
            Duration.nanoseconds(1), .zero, .seconds(-5), .seconds(Int64.max), .seconds(Int64.min), .milliseconds(1),
            .microseconds(1),
        ])
    func extremes(_ duration: Duration) async throws {
        let server = try LoopbackServer.start { _ in .ok("x") }
        for timeout in [
            Timeout(connect: duration, idle: .seconds(5), total: .seconds(5)),
            Timeout(connect: .seconds(5), idle: duration, total: .seconds(5)),
            Timeout(connect: .seconds(5), idle: .seconds(5), total: duration),
            Timeout(connect: duration, idle: duration, total: duration),
        ] {
            let response = try await requests.send(.get, server.url, timeout: timeout)
            #expect(response.status == 200 || response.transportError?.label.hasPrefix("timedOut") == true)
        }
    }

    @Test(
        "A request with a body times out as soon as one without, whether the server has read all of it or not",
        arguments: [7, 16 << 20], [true, false])
    func idleWithBody(size: Int, hasLength: Bool) async throws {
        let server = try LoopbackServer.startSilent()
        let requests = Requests()
        let data = Data(count: size)
        let stream = Body.Stream {
            nonisolated(unsafe) var rest = data
            return { count in
                defer { rest = rest.dropFirst(count) }
                return rest.prefix(count)
            }
        }
        func timeout(_ idle: Duration) -> Timeout { Timeout(connect: .seconds(20), idle: idle, total: .seconds(60)) }
        async let waiting = requests.send(.get, server.url, timeout: timeout(.milliseconds(2_400)))
        let response = try await requests.send(
            .post, server.url, body: hasLength ? .bytes(data) : .stream(stream), timeout: timeout(.seconds(2)))
        #expect(response.transportError?.label == "timedOut.idle")
        // Measured by the transport, because the test itself may have waited for a thread. A loop that comes late ends both.
        let elapsed = try #require(response.metrics?.total)
        let other = try #require(try await waiting.metrics?.total)
        #expect(elapsed >= .seconds(2) && elapsed < other, "\(elapsed), without a body \(other)")
    }

    @Test("Header lines and trailers that keep arriving prevent the idle timeout")
    func slowHead() async throws {
        let pause = ServerReply.Step.wait(.milliseconds(500))
        @Sendable func text(_ line: String) -> ServerReply.Step { .send(Data((line + "\r\n").utf8)) }
        let server = try LoopbackServer.start { _ in
            ServerReply([
                text("HTTP/1.1 200 OK"), pause, text("A: 1"), pause, text("B: 2"), pause, text("Transfer-Encoding: chunked"),
                pause, text("\r\n2\r\n{}"), pause, text("0"), pause, text("T: 1"), pause, text("U: 2"), pause, text(""),
            ])
        }
        let timeout = Timeout(connect: .seconds(5), idle: .seconds(2), total: .seconds(60))
        let response = try await requests.send(.get, server.url, timeout: timeout)
        #expect(response.text == "{}", "\(response.result)")
    }

    @Test("A response that arrived while another request's body blocked the thread is not late")
    func heldUpByBody() async throws {
        let (asked, gate, sent) = (try Gate(), try Gate(), try Gate())
        let server = try LoopbackServer.start { request in
            guard request.method == "GET" else { return .ok("thanks") }
            return [.open(asked), .waitFor(gate), .sendHead(status: 204), .open(sent)]
        }
        let body = Body.Stream.oneByte {
            gate.open()
            for _ in 0..<20_000 where !sent.isOpen { _ = usleep(1_000) }
            _ = usleep(3_400_000)
        }
        // The body blocks the thread, so this test needs its own one.
        let requests = Requests(closing(CurlTransport(loops: closing(LoopGroup(loops: 1)))))
        // On its own thread, because other tests may block the shared ones for longer than the timeouts.
        let (uploaded, response) = try await withTaskExecutorPreference(ownThread()) {
            async let waiting = requests.send(
                .get, server.url, timeout: Timeout(connect: .seconds(20), idle: .seconds(3), total: .seconds(60)))
            try await asked.waitUntilOpen(timeout: .seconds(10))
            return (try await requests.send(.post, server.url, body: .stream(body)), try await waiting)
        }
        #expect(uploaded.status == 200, "\(uploaded.result)")
        #expect(response.status == 204, "\(response.result)")
    }
}
