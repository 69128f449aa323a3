import Synchronization
import TestSupport

@testable import CoreAPICore
@testable import CoreAPICurl

@Suite("Shared threads", .closing)
struct LoopGroupTests {
    /// The loop has no thread yet, so it cannot be told of the cancellation. The call's own clocks are longer than the test's
    /// limit: if other tests block the shared threads, a call may wait for its cancellation.
    @Test("A call that is cancelled while its loop begins ends at once", .timeLimit(.minutes(5)))
    func cancelledAtTheStart() async throws {
        let server = try LoopbackServer.start { _ in [.stall] }
        let never = Timeout(connect: .seconds(3_600), idle: .seconds(3_600), total: .seconds(3_600))
        await each(of: 1_000, atOnce: 16) { index in
            let loops = LoopGroup(loops: 1)
            let transport = CurlTransport(loops: loops)
            let call = Task { try await Requests(transport).send(.get, server.url, timeout: never).error }
            for _ in 0..<index % 8 { await Task.yield() }
            call.cancel()
            let error = try? await call.value
            #expect(error?.label == "cancelled", "\(String(describing: error))")
            await transport.close()
            await loops.shutdown()
        }
    }

    @Test("Closing a transport also ends the connections that it had under other limits", arguments: [1, 2])
    func closeRetired(loops count: Int) async throws {
        let server = try LoopbackServer.start { _ in .ok("x") }
        let loops = LoopGroup(loops: count)
        let transport = CurlTransport(loops: loops)
        for round in 0..<20 {
            var requests = Requests(transport)
            requests.limits.connections = 50 + round
            #expect(try await requests.send(.get, server.url).text == "x")
        }
        await transport.close()
        #expect(!transport.isRunning)
        await loops.shutdown()
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("Pools are assigned to the loops in turn, and a pool with few requests stays on its loop")
    func home() async throws {
        let server = try LoopbackServer.start { _ in .ok("x") }
        let loops = closing(LoopGroup(loops: 2))
        let transports = [closing(CurlTransport(loops: loops)), closing(CurlTransport(loops: loops))]
        await each(of: 100, atOnce: 8) { _ in #expect(await (try? Requests(transports[0]).send(.get, server.url).text) == "x") }
        #expect(loops.threads == 1)
        #expect(try await Requests(transports[1]).send(.get, server.url).text == "x")
        #expect(loops.threads == 2)
    }

    @Test(
        "A busy channel uses two loops, and its limits apply to both together",
        arguments: [(32, 200), (3, 200), (32, 5), (1, 1)])
    func spreading(perHost: Int, connections: Int) async throws {
        let gate = try Gate()
        let servers = try (0..<2).map { _ in try LoopbackServer.start { .ok($0.target).after(.waitFor(gate)) } }
        let loops = closing(LoopGroup(loops: 2))
        let transport = CurlTransport(limits: .test(perHost: perHost, connections: connections), loops: loops)
        let requests = Requests(transport)
        let answers = (0..<200).map { index in Task { try await requests.send(.get, servers[index % 2].url + "/\(index)").text } }
        let places = min(connections, 2 * perHost)
        while transport.activeExchanges + transport.queuedExchanges < 200 { try await Task.sleep(for: .milliseconds(2)) }
        #expect(transport.activeExchanges == places)
        #expect(loops.threads == (perHost == 1 ? 1 : 2))
        gate.open()
        for (index, answer) in answers.enumerated() { #expect(try await answer.value == "/\(index)") }
        #expect(transport.activeExchanges == 0 && transport.queuedExchanges == 0)
        // If one host's connection makes room for another's, a server may notice the end after the next connection.
        if connections >= 2 * perHost { for server in servers { #expect(server.peakConnections <= perHost) } }
        // A server notices a connection's end a little later.
        for _ in 0..<500 where servers.reduce(0, { $0 + $1.openConnections }) > connections {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(servers.reduce(0) { $0 + $1.openConnections } <= connections)
        await transport.close()
        for server in servers { try await server.waitForOpenConnections(atMost: 0) }
    }

    @Test("Two channels on one loop each keep their own limits and queue", .timeLimit(.minutes(1)))
    func limits() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.start { _ in .ok("x").after(.waitFor(gate)) }
        let loops = closing(LoopGroup(loops: 1))
        let one = closing(CurlTransport(limits: .test(perHost: 1, queued: 0), loops: loops))
        let three = closing(CurlTransport(limits: .test(perHost: 3), loops: loops))
        let served = Task { try await Requests(one).send(.get, server.url).text }
        try await server.waitForRequests(1)
        let waiting = (0..<5).map { _ in Task { try await Requests(three).send(.get, server.url).text } }
        try await server.waitForRequests(4)
        #expect(try await Requests(one).send(.get, server.url).transportError == .queueFull(limit: 0))
        while three.activeExchanges + three.queuedExchanges < 5, !Task.isCancelled { await Task.yield() }
        #expect(loops.threads == 1)
        #expect(one.activeExchanges == 1 && one.queuedExchanges == 0)
        #expect(three.activeExchanges == 3 && three.queuedExchanges == 2)
        gate.open()
        for task in waiting + [served] { #expect(try await task.value == "x") }
        #expect(server.connectionsAccepted == 4)
    }

    enum Kind: CaseIterable { case pausedBody, http2, raw }

    @Test(
        "Closing a channel leaves no connection of it, and another channel's exchanges from the same server reach their end",
        arguments: Kind.allCases, [1, 2])
    func closeBesideOther(_ kind: Kind, loops count: Int) async throws {
        let (gate, half) = (try Gate(), Data(repeating: 0x61, count: 1 << 20))
        let server = try LoopbackServer.test(tls: kind == .http2 ? ServerTLS() : nil) { request in
            let isBeside = request.path == "/beside"
            let head = ServerReply.Step.sendHead(status: 200, headers: ["Content-Length": "\(2 * half.count)"])
            return ServerReply([head, .sendBody(half)] + (isBeside ? [.waitFor(gate), .sendBody(half)] : [.stall]))
        }
        let loops = closing(LoopGroup(loops: count))
        let (ending, staying) = (CurlTransport(loops: loops), CurlTransport(loops: loops))
        var held: [() async throws -> Void] = []
        for _ in 0..<24 { held.append(try await hold(kind, ending, server)) }
        try await server.waitForRequests(24)
        #expect(loops.threads == (kind == .http2 ? 1 : count), "one connection of HTTP/2 has one loop")

        let manager = Channel.test(server, transport: staying).manager
        let body = try await manager.stream(TestEndpoint("beside")).value
        let buffered = Task { await manager.response(for: TestEndpoint("beside"), as: .data) }
        try await server.waitForRequests(26)
        await ending.close()
        #expect(!ending.isRunning && staying.isRunning)
        try await server.waitForOpenConnections(atMost: 2)
        for end in held {
            let error = await #expect(throws: (any Error).self) { try await end() }
            let label = (error as? APIClientError)?.label ?? (error as? TransportError)?.label
            #expect(label?.hasSuffix("closed") == true, "\(String(describing: error))")
        }
        #expect(server.openConnections == 2)

        gate.open()
        #expect(try await body.collect(upTo: 3 << 20) == half + half)
        let answer = await buffered.value
        #expect(try answer.value == half + half)
        #expect(answer.metrics?.httpVersion == (kind == .http2 ? "HTTP/2" : "HTTP/1.1"))
        await staying.close()
        try await server.waitForOpenConnections(atMost: 0)
    }

    /// Begins an exchange whose answer has no end.
    ///
    /// - Returns: waits for its error.
    private func hold(
        _ kind: Kind, _ transport: CurlTransport, _ server: LoopbackServer
    ) async throws -> () async throws -> Void {
        let manager = Channel.test(server, transport: transport).manager
        switch kind {
        case .pausedBody:
            let body = try await manager.stream(TestEndpoint()).value
            return { for try await _ in body {} }
        case .http2:
            let task = Task { try await manager.response(for: TestEndpoint(), as: .data).value }
            return { _ = try await task.value }
        case .raw:
            let connection = try await transport.connect(Attempt(try Requests(transport).make(.get, server.url)))
            try await connection.write(Data("GET /thing HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            #expect(try await connection.read()?.isEmpty == false)
            return { while try await connection.read() != nil {} }
        }
    }

    @Test("A group that shuts down ends running requests, and rejects new ones")
    func shutdown() async throws {
        let server = try LoopbackServer.start { _ in .stallBeforeHead }
        let loops = LoopGroup(loops: 2)
        let transports = (0..<4).map { _ in CurlTransport(loops: loops) }
        let tasks = transports.map { transport in Task { try await Requests(transport).send(.get, server.url) } }
        try await server.waitForRequests(4)
        async let first: Void = loops.shutdown()
        async let second: Void = loops.shutdown()
        await first
        await second
        #expect(loops.threads == 0)
        for task in tasks { #expect(try await task.value.transportError?.label == "closed") }
        #expect(try await Requests(transports[0]).send(.get, server.url).transportError?.label == "closed")
        try await server.waitForOpenConnections(atMost: 0)
        for transport in transports { await transport.close() }
    }

    #if os(Linux)
    @Test("A transport that closes while its group shuts down waits for the end of its connections", arguments: [true, false])
    func closeDuringShutdown(shutdownFirst: Bool) async throws {
        let (asked, gate) = (try Gate(), try Gate())
        let (server, other) = (try LoopbackServer.start { _ in .ok("x") }, try LoopbackServer.start { _ in .ok() })
        let loops = LoopGroup(loops: 1)
        let (transport, holding) = (CurlTransport(loops: loops), CurlTransport(loops: loops))
        #expect(try await Requests(transport).send(.get, server.url).text == "x")
        // Holds the thread up until both sides have begun.
        let body = Body.Stream.oneByte {
            asked.open()
            for _ in 0..<20_000 where !gate.isOpen { _ = usleep(1_000) }
        }
        async let held = Requests(holding).send(.post, other.url, body: .stream(body))
        try await asked.waitUntilOpen(timeout: .seconds(10))
        // A serial queue, so each of the three runs up to its first wait before the next begins.
        let queue = ownThread()
        let tasks = [shutdownFirst, !shutdownFirst].map { shutsDown in
            Task(executorPreference: queue) {
                guard !shutsDown else {
                    await loops.shutdown()
                    return 0
                }
                await transport.close()
                return try KernelSockets(port: server.port).open
            }
        }
        Task(executorPreference: queue) { gate.open() }
        let left = try await tasks[0].value + tasks[1].value
        #expect(left == 0)
        // libcurl 8 may read the response in the call that sends the body's byte.
        let end = try await held
        #expect(end.transportError?.label == "closed" || end.status == 200, "\(end.result)")
        await holding.close()
    }
    #endif

    @Test("The shared group cannot be shut down")
    func shared() async throws {
        let server = try LoopbackServer.start { _ in .ok("x") }
        await LoopGroup.shared.shutdown()
        #expect(try await Requests().send(.get, server.url).text == "x")
    }

    @Test("The shared group has one loop for two cores, rounded up, and at most four")
    func size() {
        #expect((1...9).map(LoopGroup.size(cores:)) == [1, 1, 2, 2, 3, 3, 4, 4, 4])
        #expect(LoopGroup.shared.loops.count == LoopGroup.size(cores: ProcessInfo.processInfo.activeProcessorCount))
    }

    @Test("Two channels on one loop share no connection: each trusts only its own authority", arguments: [true, false])
    func trust(isFirst: Bool) async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { _ in .ok("x") }
        let loops = closing(LoopGroup(loops: 1))
        let own = Requests(closing(CurlTransport(loops: loops)), to: server)
        let other = Requests(closing(CurlTransport(loops: loops)), trusting: try ServerTLS().authorityPEM)
        for _ in 0..<2 {
            if isFirst { #expect(try await own.send(.get, server.url).text == "x") }
            #expect(try await other.send(.get, server.url).transportError?.label == "tls")
            #expect(try await own.send(.get, server.url).text == "x")
        }
        #expect(loops.threads == 1 && server.requests.allSatisfy { $0.connection == server.requests.first?.connection })
    }

    @Test("A thread ends a while after its last channel, and another starts with the next")
    func idleLifetime() async throws {
        let server = try LoopbackServer.start { _ in .ok("x") }
        let loops = closing(LoopGroup(loops: 1, idleLifetime: .milliseconds(20)))
        for _ in 0..<3 {
            let transport = CurlTransport(loops: loops)
            #expect(try await Requests(transport).send(.get, server.url).text == "x")
            // An idle channel keeps its thread, and so its connections.
            try await Task.sleep(for: .milliseconds(60))
            #expect(loops.threads == 1)
            #expect(try await Requests(transport).send(.get, server.url).text == "x")
            await transport.close()
            for _ in 0..<500 where loops.threads > 0 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(loops.threads == 0)
        }
        #expect(server.connectionsAccepted == 3)
    }

    @Test("A channel with large bodies in clear text does not delay others")
    func largeNeighbour() async throws {
        let piece = Data(repeating: 0x61, count: 1 << 20)
        let hostile = try LoopbackServer.start { _ in
            [.sendHead(status: 200, headers: ["Content-Length": "999999999999"]), .sendEndlessly(piece)]
        }
        let server = try LoopbackServer.start { _ in .ok("x") }
        let loops = closing(LoopGroup(loops: 1))
        let (other, transport) = (CurlTransport(loops: loops), closing(CurlTransport(loops: loops)))
        let channel = Channel.test(hostile.url, name: "large", transport: other)
        let readers = (0..<4).map { _ in Task { for try await _ in try await channel.manager.stream(TestEndpoint()).value {} } }
        try await hostile.waitForRequests(4)
        // `LoopTurnTests` counts what a neighbour may read in a turn; here every request is served beside bodies without an end.
        let requests = Requests(transport)
        for _ in 0..<101 { #expect(try await requests.send(.get, server.url).text == "x") }
        #expect(other.activeExchanges == 4)
        for reader in readers { reader.cancel() }
        for reader in readers { _ = await reader.result }
    }

    @Test("A channel whose server floods or stalls does not delay others", arguments: [true, false])
    func fairness(floods: Bool) async throws {
        let begun = try Gate()
        let frames = FloodTests.Flood.unknownFrames.frames(stream: 1)
        let hostile = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { _ in
            [.open(begun), floods ? .sendEndlessly(frames) : .stall]
        }
        let server = try LoopbackServer.start { _ in .ok("x") }
        let loops = closing(LoopGroup(loops: 1))
        let disturbed = Requests(closing(CurlTransport(loops: loops)), to: hostile)
        let requests = Requests(closing(CurlTransport(loops: loops)))
        let waiting = (0..<4).map { _ in Task { try await disturbed.send(.get, hostile.url) } }
        try await begun.waitUntilOpen(timeout: .seconds(20))
        for _ in 0..<101 { #expect(try await requests.send(.get, server.url).text == "x") }
        #expect(disturbed.transport.activeExchanges == 4)
        for task in waiting { task.cancel() }
        for task in waiting { #expect(try await task.value.error?.isCancelled == true) }
    }

    /// In a separate process, because parallel tests have threads and memory, too.
    @Test("A thousand created and dropped channels leave no thread, no descriptor and no memory")
    func thousand() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer.start { _ in .ok("x") }
            let loops = LoopGroup(loops: 2, idleLifetime: .milliseconds(20))
            func use(_ count: Int) async throws {
                await each(of: count, atOnce: 20) { index in
                    let transport = CurlTransport(loops: loops)
                    let text = try? await Requests(transport).send(.get, server.url).text
                    #expect(text == "x")
                    if index.isMultiple(of: 2) { await transport.close() }
                }
            }
            try await use(200)  // What a process does once, is done now.
            let before = try await Census.settled(atMost: Census(threads: 0, descriptors: 0))
            let memory = Memory.resident
            try await use(1_000)
            let after = try await Census.settled(atMost: before)
            #expect(after.threads == 0 && after.descriptors <= before.descriptors, "\(before) → \(after)")
            #expect(CurlHandle.living.load(ordering: .relaxed) == 0)
            let grown = Memory.resident - memory
            #expect(grown < 8 << 20 || Sanitizer.isOn, "\(grown) bytes")
        }
    }

    @Test("a loop looks before it sleeps after two short waits, and after a long one it sleeps at once")
    func eagerWait() async {
        // One wait sleeps, so this needs a thread of its own.
        await withTaskExecutorPreference(ownThread()) { lookAtWaits() }
    }

    private func lookAtWaits() {
        var looks: [Int32] = []
        func shortWaits(_ count: Int) -> EagerWait {
            var wait = EagerWait()
            for _ in 0..<count { _ = wait.wait(milliseconds: 5) { _ in 1 } }
            return wait
        }
        // The system may interrupt any wait, so one round of a hundred is enough.
        let looksFirst = (0..<100).contains { _ in
            var wait = shortWaits(2)
            looks = []
            _ = wait.wait(milliseconds: 5) { milliseconds in
                looks.append(milliseconds)
                return looks.count == 2 ? 1 : 0
            }
            return looks == [0, 0]
        }
        #expect(looksFirst)
        for var wait in [shortWaits(1), shortWaits(5)] {
            _ = wait.wait(milliseconds: 5) { _ in
                let began = LoopClock.now()
                while LoopClock.now() - began <= EagerWait.limit {}
                return 1
            }
            for _ in 0..<2 {
                looks = []
                _ = wait.wait(milliseconds: 5) { milliseconds in
                    looks.append(milliseconds)
                    return 1
                }
                #expect(looks == [5])
            }
        }
    }
}
