import TestSupport

@testable import CoreAPIStreaming

@Suite("Streams of events", .closing, .timeLimit(.minutes(1)))
struct EventStreamTests {
    struct OrderEvent: Decodable, Sendable, Equatable { let status: String }

    private static func head(_ type: String = "text/event-stream") -> ServerReply.Step {
        .sendHead(status: 200, headers: ["Content-Type": type, "Transfer-Encoding": "chunked"])
    }

    private static func reply(_ chunks: String...) -> ServerReply {
        .chunked(chunks, headers: ["Content-Type": "text/event-stream"])
    }

    private static let end = ServerReply.status(204)
    private static let quick = quick { _ in }

    private static func quick(_ change: (inout EventOptions) -> Void) -> EventOptions {
        var options = EventOptions(pause: .milliseconds(1), longestPause: .milliseconds(5))
        change(&options)
        return options
    }

    private static let untilDone = quick { $0.sentinel = "[DONE]" }

    @Test("events arrive as they are sent, decoded by the channel's coder, with id and name", arguments: [false, true])
    func events(secure: Bool) async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test(tls: secure ? ServerTLS() : nil) { request in
            guard request.headers["last-event-id"] == nil else { return Self.end }
            return [
                Self.head("text/event-stream; charset=utf-8"),
                .sendChunk(Data(": hello\n\nid: 1\nevent: status\ndata: {\"sta".utf8)),
                .sendChunk(Data("tus\":\"cooking\"}\n\n".utf8)), .waitFor(gate),
                .sendChunk(Data("data: {\"status\":\"there\"}\n\n".utf8)), .endChunks(),
            ]
        }
        var events: [ServerSentEvent<OrderEvent>] = []
        for try await event in server.manager.events(.get("orders/1/events"), as: OrderEvent.self, options: Self.quick) {
            events.append(event)
            gate.open()
        }
        #expect(
            events == [
                ServerSentEvent(id: "1", name: "status", data: OrderEvent(status: "cooking")),
                ServerSentEvent(id: "1", data: OrderEvent(status: "there")),
            ])
        let requests = server.requests
        #expect(requests.count == 2)
        #expect(requests[0].headers["accept"] == "text/event-stream" && requests[0].headers["cache-control"] == "no-store")
        #expect(requests[0].headers["last-event-id"] == nil && requests[1].headers["last-event-id"] == "1")
    }

    @Test("each connection sends the last id, also if the one before sent no id or broke off in an event")
    func lastEventID() async throws {
        let server = try LoopbackServer.test(script: [
            Self.reply("id: é…1\ndata: a\n\n"), Self.reply("data: b\n\nid: 9\ndata: cut off\n"),
            [Self.head(), .sendChunk(Data("id: 2\n\n".utf8)), .reset], Self.reply("id:\ndata: c\n\n"), Self.end,
        ])
        let events = try await server.manager.events(.get("x"), options: Self.quick { $0.lastEventID = "0" }).all()
        #expect(events.map(\.data) == ["a", "b", "c"])
        #expect(server.requests.map { $0.headers["last-event-id"] } == ["0", "é…1", "é…1", "2", nil])
    }

    @Test("`updates` reports the connection as open, lost and open again, with the reason and the pause")
    func updates() async throws {
        let server = try LoopbackServer.test(script: [
            Self.reply("retry: 20\ndata: a\n\n"), .closeWithoutReply, .closeWithoutReply, Self.reply("data: b\n\n"), Self.end,
        ])
        var seen: [String] = []
        var pauses: [Duration] = []
        for try await update in server.manager.events(.get("x"), options: Self.quick).updates {
            switch update {
            case .open(let head): seen.append("open \(head.status.code)")
            case .event(let event): seen.append(event.data)
            case .reconnecting(let pause, let error):
                seen.append("again \(error?.label ?? "")")
                pauses.append(pause)
            }
        }
        // libcurl repeats a request whose connection was reused, so one call finds both dropped connections.
        #expect(seen == ["open 200", "a", "again ", "again transport.connectionLost", "open 200", "b", "again "])
        #expect(pauses.allSatisfy { $0 >= .milliseconds(20) && $0 <= .milliseconds(25) }, "\(pauses)")
    }

    @Test("the pause is a random part of a doubling time, up to the longest; a server's retry is the minimum")
    func pauses() {
        let options = EventOptions(pause: .seconds(1), longestPause: .seconds(30))
        let whole = (1...8).map { options.pause(after: $0, retry: nil, random: 1) }
        #expect(whole == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
        #expect(options.pause(after: 3, retry: nil, random: 0) == .zero)
        #expect(options.pause(after: 1, retry: .seconds(2), random: 0) == .seconds(2))
        #expect(options.pause(after: 2, retry: .seconds(2), random: 1) == .seconds(6))
        #expect(options.pause(after: 9, retry: .seconds(3_600), random: 1) == .seconds(3_630))
        #expect(options.pause(after: 1, retry: .zero, random: 1) == .milliseconds(500))
        #expect(EventOptions(pause: .zero).pause(after: 1_000_000, retry: .zero, random: 1) == .zero)
        let huge = EventOptions(pause: .seconds(Int64.max / 4), longestPause: .seconds(Int64.max / 4))
        #expect(huge.pause(after: 100, retry: nil, random: 1) > .zero)
    }

    @Test("it connects at once, and after an end with a pause that grows until a line comes")
    func growingPauses() {
        var plan = EventPlan(EventOptions(reconnections: 3, pause: .seconds(4)), mayRepeat: true)
        func pause() -> Duration? { if case .connect(let pause) = plan.step { pause } else { nil } }
        #expect(pause() == .zero)
        plan.open()
        #expect(plan.end(.init(), random: 1) == .seconds(4))
        #expect(pause() == .seconds(4))
        #expect(plan.end(.init(), random: 1) == .seconds(8))
        #expect(plan.end(.init(hadLine: true), random: 1) == .seconds(4))
        for seconds in [8, 16] { #expect(plan.end(.init(), random: 1) == .seconds(seconds)) }
        #expect(plan.end(.init(), random: 1) == nil)
        if case .end = plan.step {} else { Issue.record("a fourth connection without a line") }
    }

    @Test("after the allowed connections without a line the loop ends")
    func bounded() async throws {
        let server = try LoopbackServer.test { $0.path == "/empty" ? Self.reply() : Self.reply("data: x\n\n") }
        let channel = Channel.test(server)
        var options = Self.quick { $0.reconnections = 3 }
        #expect(try await channel.manager.events(.get("empty"), options: options).all().isEmpty)
        #expect(server.requests.count == 4)
        options.reconnections = 0
        #expect(try await channel.manager.events(.get("once"), options: options).all().map(\.data) == ["x"])
        #expect(server.requests.count == 5)
    }

    @Test("connections to no server are counted, also in a channel that translates errors", arguments: [false, true])
    func unreachable(isTranslated: Bool) async throws {
        // No test listens at this port.
        let nobody = Channel.test("http://127.0.0.1:1") {
            if isTranslated { $0.errorFilter = $0.errorFilter.localized(["transport": "No network"]) }
        }
        var errors: [String] = []
        let error = await failure {
            for try await update in nobody.manager.events(.get("gone"), options: Self.quick { $0.reconnections = 2 }).updates {
                if case .reconnecting(_, let error?) = update { errors.append(error.label) }
            }
        }
        let label = (isTranslated ? "app." : "") + "transport.cannotConnect"
        #expect(error?.label == label && errors == [label, label])
    }

    @Test("another media type and a rejected status end the stream with the error, at once")
    func rejected() async throws {
        let server = try LoopbackServer.test { request in
            switch request.path {
            case "/type": .ok("data: x\n\n")
            case "/none": .status(200)
            case "/busy": request.headers["last-event-id"] == "1" ? Self.end : .status(503)
            case "/cut": [.sendHead(status: 404, headers: ["Content-Length": "9"]), .sendBody(Data("no".utf8)), .closeConnection]
            default: .status(404)
            }
        }
        let channel = Channel.test(server)
        for (path, label) in [
            ("type", "verification.unacceptableContentType"), ("none", "verification.unacceptableContentType"),
            ("x", "verification.unacceptableStatus.404"), ("busy", "verification.unacceptableStatus.503"),
            ("cut", "transport.truncated"),
        ] {
            let error = await failure { try await channel.manager.events(.get(path), options: Self.quick).all() }
            #expect(error?.label == label)
        }
        #expect(server.requests.count == 5)
        let options = Self.quick { ($0.reconnectsAfter, $0.reconnections) = ([503], 2) }
        await #expect(throws: APIClientError.self) { try await channel.manager.events(.get("busy"), options: options).all() }
        #expect(server.requests.count == 8)
    }

    @Test("a POST is sent again only if the options allow it")
    func unsafe() async throws {
        let server = try LoopbackServer.test { request in
            request.path == "/lost"
                ? [Self.head(), .sendChunk(Data("data: x\n\n".utf8)), .closeConnection]
                : request.headers["last-event-id"] == nil ? Self.reply("id: 1\ndata: x\n\n") : Self.end
        }
        let channel = Channel.test(server)
        #expect(try await channel.manager.events(.post("x"), options: Self.quick).all().count == 1)
        #expect(server.requests.count == 1)
        var events: [String] = []
        let error = await failure {
            for try await event in channel.manager.events(.post("lost"), options: Self.quick) { events.append(event.data) }
        }
        #expect(error?.label == "transport.truncated" && error?.context.streamed?.items == 1)
        #expect(events == ["x"] && server.requests.count == 2)
        let options = Self.quick { $0.repeatsUnsafeMethods = true }
        #expect(try await channel.manager.events(.post("x"), options: options).all().count == 1)
        #expect(server.requests.count == 4)
    }

    @Test("the idle time ends the connection to a silent server; comments end the silence")
    func idle() async throws {
        let server = try LoopbackServer.test { request in
            guard request.headers["last-event-id"] == nil else { return Self.end }
            let beats = (0..<6).flatMap { _ in [ServerReply.Step.sendChunk(Data(":\n".utf8)), .wait(.milliseconds(300))] }
            return ServerReply([Self.head()] + beats + [.sendChunk(Data("id: 1\ndata: x\n\n".utf8)), .stall])
        }
        let channel = Channel.test(server) {
            $0.modifiers = [Timeout(connect: .seconds(5), idle: .seconds(600), total: .seconds(20))]
        }
        let options = Self.quick { $0.idle = .seconds(1) }
        var errors: [String?] = []
        var events = 0
        for try await update in channel.manager.events(.get("x"), options: options).updates {
            if case .reconnecting(_, let error) = update { errors.append(error?.label) }
            if case .event = update { events += 1 }
        }
        #expect(errors == ["transport.timedOut.idle"] && events == 1)
        try await server.waitForOpenConnections(atMost: 1)
    }

    @Test(
        "a silent server is given as long as the call's timeout says, and 60 s without one; a value of the options comes first",
        arguments: [
            (nil, nil, 60), (10, nil, 10), (600, nil, 600), (10, 45, 45), (600, 45, 45), (nil, 45, 45),
        ] as [(Int?, Int?, Int)])
    func idleTimes(channelsOwn: Int?, option: Int?, expected: Int) async throws {
        let transport = RecordingTransport(status: 204, body: "")
        let channel = Channel.test(transport) { if let channelsOwn { $0.modifiers = [Timeout(idle: .seconds(channelsOwn))] } }
        let options = EventOptions(idle: option.map { .seconds($0) })
        #expect(try await channel.manager.events(.get("x"), options: options).all().isEmpty)
        #expect(transport.requests.map(\.timeout.idle) == [.seconds(expected)])
    }

    @Test("an event whose data is the sentinel ends the stream: it is not decoded, and no connection follows")
    func sentinel() async throws {
        let text = "data: {\"status\":\"a\"}\n\ndata: {\"status\":\"b\"}\n\ndata: [DONE]\n\ndata: behind\n\n"
        let server = try LoopbackServer.test { _ in [Self.head(), .sendChunk(Data(text.utf8)), .stall] }
        let manager = server.manager
        let typed = try await manager.events(.get("x"), as: OrderEvent.self, options: Self.untilDone).all()
        #expect(typed.map(\.data.status) == ["a", "b"])
        #expect(try await manager.events(.post("x"), as: OrderEvent.self, options: Self.untilDone).all().count == 2)
        #expect(try await manager.events(.get("x"), options: Self.untilDone).all().count == 2)
        var events = manager.events(.get("x"), options: Self.untilDone).updates.makeAsyncIterator()
        var updates = 0
        while try await events.next() != nil { updates += 1 }
        #expect(try await events.next() == nil)
        #expect(updates == 3 && server.requests.count == 4)
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("an end without the sentinel is an error if no connection follows, and else a reason to connect again")
    func sentinelMissing() async throws {
        let requests = Shared(0)
        let server = try LoopbackServer.test { _ in
            Self.reply(requests.next() == 1 ? "data: b\n\ndata: [DONE]\n\n" : "data: a\n\n")
        }
        let manager = server.manager
        #expect(try await manager.events(.get("x"), options: Self.untilDone).all().map(\.data) == ["a", "b"])
        var options = Self.untilDone
        options.reconnections = 0
        try await expectNoSentinel(manager.events(.get("x"), options: options))
        try await expectNoSentinel(manager.events(.post("x"), options: options))
    }

    @Test("a 204 before the sentinel is an error, too: the events are not whole")
    func sentinelBefore204() async throws {
        let server = try LoopbackServer.test { $0.headers["last-event-id"] == nil ? Self.reply("id: 1\ndata: a\n\n") : Self.end }
        try await expectNoSentinel(server.manager.events(.get("x"), options: Self.untilDone))
    }

    private func expectNoSentinel(_ events: EventStream<String>) async throws {
        var events = events.makeAsyncIterator()
        #expect(try await events.next()?.data == "a")
        let error = await #expect(throws: APIClientError.self) { try await events.next() }
        #expect(error?.streamError?.kind == "noSentinel" && error?.reason.contains("'[DONE]'") == true)
        #expect(error?.context.streamed?.items == 1)
        #expect(try await events.next() == nil)
    }

    @Test("an id that no field can hold is not sent, and the channel's logger hears of it")
    func unsendableID() async throws {
        let server = try LoopbackServer.test { _ in Self.reply("id: a\u{1}\ndata: x\n\n") }
        let warnings = Shared([String]())
        let channel = Channel.test(server) {
            $0.logger = FunctionLogger { event in
                if case .warning(_, let text) = event { warnings.change { $0.append(text) } }
            }
        }
        var events = channel.manager.events(.get("x"), options: Self.quick).makeAsyncIterator()
        for _ in 0..<2 { #expect(try await events.next()?.id == "a\u{1}") }
        #expect(server.requests.map { $0.headers["last-event-id"] } == [nil, nil])
        #expect(warnings.current.map { $0.hasPrefix("the last event's id has characters") } == [true])
    }

    @Test("each connection follows redirects and refreshes its token, as any call of the channel")
    func throughThePipeline() async throws {
        let tokens = Shared(0)
        let server = try LoopbackServer.test { request in
            let token = request.headers["authorization"] ?? ""
            switch (request.path, token, request.headers["last-event-id"]) {
            case ("/old", _, _): return .redirect(to: "/new", status: 307)
            case (_, "Bearer 1", nil): return Self.reply("id: 1\ndata: a\n\n")
            case (_, "Bearer 1", _): return .status(401)
            case (_, "Bearer 2", "1"): return Self.reply("id: 2\ndata: b\n\n")
            case (_, "Bearer 2", _): return Self.end
            default: return .status(401)
            }
        }
        let refresh = BearerAuthentication(token: "1") { _ in "\(tokens.next() + 2)" }
        let channel = Channel.test(server) { $0.attemptMiddleware = [refresh] }
        #expect(try await channel.manager.events(.get("old"), options: Self.quick).all().map(\.data) == ["a", "b"])
        #expect(tokens.current == 1)
    }

    @Test("a redirect to another origin takes the last id along, but no field of the endpoint", arguments: [301, 302, 307, 308])
    func redirectedElsewhere(status: Int) async throws {
        let other = try LoopbackServer.test { request in
            switch request.headers["last-event-id"] {
            case nil: Self.reply("id: 7\ndata: a\n\n")
            case "7": Self.reply("id: 8\ndata: b\n\n")
            default: Self.end
            }
        }
        let server = try LoopbackServer.test { _ in .redirect(to: other.url + "/new", status: status) }
        let endpoint = TypedEndpoint.get("old", headers: ["Last-Event-ID": "s3cret", "X-Api-Key": "s3cret"])
        #expect(try await server.manager.events(endpoint, options: Self.quick).all().map(\.data) == ["a", "b"])
        #expect(server.requests.map { $0.headers["last-event-id"] } == ["s3cret", "7", "8"])
        #expect(other.requests.map { $0.headers["last-event-id"] } == [nil, "7", "8"])
        #expect(other.requests.allSatisfy { $0.headers["x-api-key"] == nil && $0.headers["accept"] == "text/event-stream" })
    }

    @Test("an event of 16 MiB arrives, such as an image in Base64", .timeLimit(.minutes(1)))
    func large() async throws {
        let image = String(repeating: "QUJD", count: 4 << 20)
        let server = try LoopbackServer.test { _ in .events("data: \(image)\n\n") }
        let events = try await server.manager.events(.get("x"), options: EventOptions(reconnections: 0)).all()
        #expect(events.count == 1 && events.first?.data.utf8.count == image.utf8.count)
    }

    @Test("an event of 100 MB is a typed error, and the connection is closed")
    func tooLarge() async throws {
        let server = try LoopbackServer.test { _ in
            [
                .sendHead(status: 200, headers: ["Content-Type": "text/event-stream", "Content-Length": "104857600"]),
                .sendBody(Data("data: first\n\ndata: ".utf8)), .sendEndlessly(Data(repeating: 0x61, count: 1 << 16)),
            ]
        }
        var events: [String] = []
        let error = await failure {
            for try await event in server.manager.events(.get("x"), options: Self.quick) { events.append(event.data) }
        }
        #expect(error?.streamError.map { "\($0.reason)" } == "eventTooLarge(limit: 16777216)")
        #expect((error?.context.streamed?.bytes ?? .max) < 20 << 20 && error?.context.streamed?.items == 1)
        #expect(events == ["first"])
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("data that cannot be decoded ends the stream with the decoding failure")
    func undecodable() async throws {
        let server = try LoopbackServer.test { _ in Self.reply("data: {\"status\":\"a\"}\n\n", "data: {\"status\":3}\n\n") }
        let error = await failure { try await server.manager.events(.get("x"), as: OrderEvent.self, options: Self.quick).all() }
        #expect(error?.decoding?.codingPath == "status" && error?.context.streamed?.items == 1 && server.requests.count == 1)
    }

    @Test("cancelling ends the stream and its connection at every moment", arguments: ["/head", "/body", "/pause", "/rejected"])
    func cancelled(path: String) async throws {
        let reached = try Gate()
        let server = try LoopbackServer.test { request in
            switch request.path {
            case "/head": [.open(reached), .stall]
            case "/body": [Self.head(), .sendChunk(Data("data: x\n\n".utf8)), .open(reached), .stall]
            case "/rejected": [.sendHead(status: 404, headers: ["Content-Length": "9"]), .open(reached), .stall]
            default: Self.reply("retry: 3600000\n").followed(by: .open(reached))
            }
        }
        let channel = Channel.test(server)
        let task = Task {
            for try await update in channel.manager.events(.get(path)).updates {
                // The pause begins with the next call.
                if case .reconnecting = update { try await Task.sleep(for: .milliseconds(1)) }
            }
        }
        try await reached.waitUntilOpen()
        if path == "/pause" { try await Task.sleep(for: .milliseconds(100)) }
        task.cancel()
        let error = await #expect(throws: (any Error).self) { try await task.value }
        #expect(error is CancellationError || (error as? APIClientError)?.isCancelled == true)
        await channel.close()
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("leaving the loop closes the connection")
    func leaving() async throws {
        let server = try LoopbackServer.test { _ in [Self.head(), .sendChunk(Data("data: x\n\ndata: y\n\n".utf8)), .stall] }
        #expect(try await server.manager.events(.get("x")).first { _ in true }?.data == "x")
        try await server.waitForOpenConnections(atMost: 0)
    }

    private static let again = quick { $0.reconnectsAfter = [503] }

    /// The pauses of the first reconnections, and the error that ends the stream.
    private func pauses(_ count: Int, of server: LoopbackServer) async -> ([Duration], String?) {
        var pauses: [Duration] = []
        let error = await failure {
            for try await update in server.manager.events(.get("x"), options: Self.again).updates {
                guard case .reconnecting(let pause, _) = update else { continue }
                pauses.append(pause)
                if pauses.count == count { break }
            }
        }
        return (pauses, error?.label)
    }

    @Test(
        "it pauses as long as a response asks: a rejection, an ended stream whatever a call may take, but no less than `retry` says",
        arguments: [
            (.status(503, headers: ["Retry-After": "100"]), .seconds(100)),
            (.ok("data: x\n\n", headers: ["Content-Type": "text/event-stream", "Retry-After": "3600"]), .seconds(3_600)),
            (.ok("retry: 90000\ndata: x\n\n", headers: ["Content-Type": "text/event-stream", "Retry-After": "1"]), .seconds(90)),
        ] as [(ServerReply, Duration)])
    func askedPause(reply: ServerReply, pause: Duration) async throws {
        let server = try LoopbackServer.test { _ in reply }
        let (pauses, error) = await pauses(1, of: server)
        // `retry` has a random part more.
        #expect(pauses.count == 1 && pauses.allSatisfy { $0 >= pause && $0 <= pause + .milliseconds(10) }, "\(pauses)")
        #expect(error == nil)
    }

    @Test("it connects again after the pause that a response asks for")
    func connectsAgain() async throws {
        let server = try LoopbackServer.test(script: [.status(503, headers: ["Retry-After": "1"]), .events("data: x\n\n")])
        let started = ContinuousClock.now
        #expect(try await server.manager.events(.get("x"), options: Self.again).first { _ in true }?.data == "x")
        #expect(ContinuousClock.now - started >= .seconds(1))
    }

    @Test("after a rejection it never pauses as long as a call may take: it ends at once, with the response")
    func beyondDeadline() async throws {
        let server = try LoopbackServer.test { _ in .status(503, headers: ["Retry-After": "3600"]) }
        #expect(await pauses(1, of: server) == ([], "verification.unacceptableStatus.503"))
        #expect(server.requests.count == 1)
    }
}
