import CoreAPICurl
import TestSupport

@testable import CoreAPIWebSocket

@Suite("A WebSocket's life", .closing, .timeLimit(.minutes(2)), .serialized)
struct LifecycleTests {
    @Test("a consumer that does not read stops the server, and gets all messages later", arguments: [false, true])
    func backpressure(secure: Bool) async throws {
        let sent = Shared(0)
        let server = try LoopbackServer.test(tls: secure ? ServerTLS() : nil) { request in
            .webSocket(request) { socket in
                for index in 0..<1_000 {
                    try await socket.send(.binary(Data(repeating: UInt8(truncatingIfNeeded: index), count: 64 << 10)))
                    sent.change { $0 = index + 1 }
                }
            }
        }
        let socket = try await chat(server, .with { $0.compression = nil })
        let before = try await sent.settled()
        #expect(before < 900, "\(before) messages of 64 KiB were read although nothing was taken")
        var count = 0
        for try await message in socket {
            #expect(message.data.first == UInt8(truncatingIfNeeded: count) && message.data.count == 64 << 10)
            count += 1
        }
        #expect(count == 1_000)
    }

    @Test("a message that takes longer than a pong may is sent, and the ping behind it is answered")
    func slowMessage() async throws {
        // Takes each piece after a while, and answers a ping with a pong and a message.
        let heard = Shared(Data())
        let connection = PlayedConnection { data in
            try await Task.sleep(for: .milliseconds(50))
            heard.change { $0 += data }
            let events = try MessageReaderTests.read(Array(heard.current), as: .server)
            return events.contains(.ping(Data())) ? Data(frame(0x8A) + frame(0x81, "done".utf8)) : nil
        }
        let session = connection.session(
            .client, .with { ($0.pingInterval, $0.pongTimeout) = (.milliseconds(50), .milliseconds(400)) })
        try await session.send(.binary, Data(count: 20 * 64 * 1_024))
        #expect(try await session.next() == .text("done"))
        session.release()
    }

    @Test("an unread socket survives other requests of its channel", arguments: [false, true])
    func heldBesideOthers(secure: Bool) async throws {
        let server = try LoopbackServer.test(tls: secure ? ServerTLS() : nil) { request in
            guard request.path == "/chat" else { return .ok("x").followed(by: .closeConnection) }
            return .webSocket(request) { socket in for _ in 0..<200 { try await socket.send(.binary(Data(count: 64 << 10))) } }
        }
        let channel = Channel.test(server)
        let socket = try await channel.dispatcher.webSocket(.get("chat"), .with { $0.compression = nil })
        // libcurl looks for dead connections when it opens another, at most once a second.
        for _ in 0..<6 {
            let body = try await channel.dispatcher.stream(.get("other")).value
            #expect(try await body.collect(upTo: 10) == Data("x".utf8))
            try await Task.sleep(for: .milliseconds(400))
        }
        var count = 0
        for try await _ in socket { count += 1 }
        #expect(count == 200)
    }

    @Test("a peer that does not read stops the sender")
    func slowPeer() async throws {
        let server = try LoopbackServer.test { .switching($0, then: [.stall]) }
        let socket = try await chat(server)
        let sent = Shared(0)
        let task = Task { await flood(socket, sent, with: .noise(60_000)) }
        #expect(try await sent.settled() < 500)
        task.cancel()
        #expect(await task.value?.isCancelled == true)
    }

    @Test("messages of many concurrent senders arrive complete, in fragments too", arguments: [nil, 1_000] as [Int?])
    func senders(fragment: Int?) async throws {
        let server = try LoopbackServer.test { .webSocket($0, serve: echo) }
        let socket = try await chat(server, .with { $0.fragmentSize = fragment })
        let texts = (0..<100).map { String(repeating: "\($0) ", count: 1_000 + $0) }
        async let sending: Void = withThrowingTaskGroup(of: Void.self) { group in
            for text in texts { group.addTask { try await socket.send(.text(text)) } }
            for _ in 0..<10 { group.addTask { try await socket.ping() } }
            try await group.waitForAll()
        }
        var received: Set<String> = []
        for try await message in socket {
            if case .text(let text) = message { received.insert(text) }
            if received.count == texts.count { break }
        }
        try await sending
        #expect(received == Set(texts))
        await socket.close()
    }

    @Test("a message of unknown length is sent in fragments")
    func fragments() async throws {
        let server = try LoopbackServer.test { .webSocket($0, serve: echo) }
        let socket = try await chat(server)
        let whole = Data.noise(100_000)
        try await socket.send(fragments: whole.pieces(10_000))
        #expect(try await socket.first { _ in true } == .binary(whole))
    }

    @Test("a sequence that throws ends a begun message's socket, and the server gets no message", arguments: [0, 1])
    func throwingFragments(chunks: Int) async throws {
        struct Broken: Error {}
        let heard = Shared<[WebSocket.Message]>([])
        let server = try LoopbackServer.test {
            .webSocket($0) { for try await message in $0 { heard.change { $0.append(message) } } }
        }
        let socket = try await chat(server)
        let fragments = AsyncThrowingStream<Data, any Error> { continuation in
            for _ in 0..<chunks { continuation.yield(Data(count: 10)) }
            continuation.finish(throwing: Broken())
        }
        let error = await failure { try await socket.send(fragments: fragments) }
        #expect(error?.underlyingError is Broken, "\(String(describing: error))")
        #expect((await failure { try await socket.send(.text("more")) } == nil) == (chunks == 0))
        await socket.close()
        try await server.waitForOpenConnections(atMost: 0)
        #expect(heard.current == (chunks == 0 ? [.text("more")] : []))
    }

    private struct Note: Codable, Equatable {
        let text: String
    }

    @Test("values are JSON in both directions, and an invalid one is a decoding error")
    func json() async throws {
        let server = try LoopbackServer.test { .webSocket($0, serve: echo) }
        let socket = try await chat(server)
        try await socket.send(json: Note(text: "hello"))
        #expect(try await socket.messages(as: Note.self).first { _ in true } == Note(text: "hello"))
        try await socket.send(.text("no JSON"))
        #expect(await failure { for try await _ in socket.messages(as: Note.self) {} }?.decoding != nil)
        try await socket.send(json: Note(text: "again"))
        #expect(try await socket.messages(as: Note.self).first { _ in true } == Note(text: "again"))
    }

    @Test("a verifier of types accepts the socket, and one that rejects it ends the call at once", arguments: [false, true])
    func verified(rejects: Bool) async throws {
        let server = try LoopbackServer.test { .webSocket($0, serve: echo) }
        let channel = Channel.test(server).with {
            $0.modifiers.append(ContentTypeResponseVerifier("application/json"))
            if rejects { $0.modifiers.append(Rejecting()) }
        }
        let start = ContinuousClock.now
        do throws(APIClientError) {
            let socket = try await channel.dispatcher.webSocket(.get("chat"))
            #expect(!rejects)
            try await socket.send(.text("hello"))
            var messages = socket.makeAsyncIterator()
            #expect(try await messages.next() == .text("hello"))
        } catch { #expect(rejects && error.label == "verification.custom", "\(error)") }
        #expect(start.duration(to: .now) < .seconds(20))
        await channel.close()
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("values are decoded apart from the actor that reads them")
    @MainActor
    func decodedApart() async throws {
        let server = try LoopbackServer.test { .webSocket($0) { try await $0.send(.text("{}")) } }
        let socket = try await chat(server)
        #expect(MainQueue.isCurrent)
        var places: [Place] = []
        for try await place in socket.messages(as: Place.self) { places.append(place) }
        #expect(places.count == 1 && places.allSatisfy { !$0.isMain })
    }

    @Test("if the server closes first, the loop ends, and both sides know the code")
    func closedByServer() async throws {
        let seen = Shared<WebSocket.Closing?>(nil)
        let server = try LoopbackServer.test { request in
            .webSocket(request) { socket in
                await socket.close(code: .goingAway, reason: "good night")
                seen.change { $0 = socket.closing }
            }
        }
        let socket = try await chat(server)
        for try await _ in socket {}
        #expect(socket.closing == .init(code: .goingAway, reason: "good night", side: .peer))
        await socket.close()
        try await server.waitForOpenConnections(atMost: 0)
        #expect(seen.current == .init(code: .goingAway, reason: "good night", side: .here))
    }

    @Test("a second reader is rejected while one waits")
    func secondReader() async throws {
        let server = try LoopbackServer.test { .switching($0, then: [.stall]) }
        let socket = try await chat(server)
        let rejection = await withTaskGroup(of: APIClientError?.self) { group in
            for _ in 0..<2 { group.addTask { await failure { try await socket.first { _ in true } } } }
            defer { group.cancelAll() }
            return await group.next()
        }
        #expect(rejection??.underlyingError as? BodyError == .readTwice)
    }

    /// In a separate process, because it counts the process's descriptors.
    @Test("cancelled at any moment, it leaves no connection, descriptor or thread")
    func cancellation() async {
        await #expect(processExitsWith: .success) {
            for tls in try [nil, ServerTLS()] { try await LifecycleTests.cancelled(tls) }
        }
    }

    private static func cancelled(_ tls: ServerTLS?) async throws {
        let server = try LoopbackServer.start(tls: tls, keepsRequests: false) { .webSocket($0, serve: echo) }
        defer { server.close() }
        let transport = CurlTransport()
        let channel = Channel.test(server) { $0.transport = transport }
        func use() async throws {
            let socket = try await channel.dispatcher.webSocket(.get("chat"))
            for index in 0..<20 { try await socket.send(.text("message \(index)")) }
            for try await message in socket where message == .text("message 19") { break }
            try await socket.ping()
            await socket.close()
        }
        try await use()
        try await server.waitForOpenConnections(atMost: 0)
        let before = try Census.now()
        for round in 0..<120 {
            let task = Task { try await use() }
            try await Task.sleep(for: .microseconds(round * round * 3 / 2))
            task.cancel()
            _ = await task.result
        }
        try await server.waitForOpenConnections(atMost: 0)
        let after = try await Census.settled(atMost: before)
        #expect(after.isNoMore(than: before), "\(before) → \(after)")
        #expect(try await transport.leftovers(closing: [channel]) == nil)
    }

    @Test("a channel that closes ends its sockets")
    func channelCloses() async throws {
        let server = try LoopbackServer.test { .webSocket($0, serve: echo) }
        let channel = Channel.test(server)
        let socket = try await channel.dispatcher.webSocket(.get("chat"))
        let task = Task { await failure { for try await _ in socket {} } }
        await channel.close()
        let error = await task.value
        #expect(error?.label == "transport.closed", "\(String(describing: error))")
        try await server.waitForOpenConnections(atMost: 0)
    }

    /// In a separate process, because it measures the process's time.
    @Test("an idle socket lets the loop sleep")
    func idle() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer.start { .webSocket($0, serve: echo) }
            defer { server.close() }
            let channel = Channel.test(server)
            let socket = try await channel.dispatcher.webSocket(.get("chat"))
            func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
            let before = processorTime()
            try await Task.sleep(for: .seconds(1))
            #expect(processorTime() - before < 0.5)
            await socket.close()
            await channel.close()
        }
    }
}
