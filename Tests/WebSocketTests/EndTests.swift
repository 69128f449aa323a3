import TestSupport

@testable import CoreAPIWebSocket

@Suite("The end of a WebSocket is one value", .closing, .timeLimit(.minutes(3)), .serialized)
struct EndTests {
    /// How a server ends a socket while it reads nothing.
    struct Ending: CustomTestStringConvertible {
        let name: String
        let steps: [ServerReply.Step]
        let labels: Set<String?>
        var isSilent = false

        var testDescription: String { name }

        static let all = [
            Ending(name: "Close 1000", steps: [.send(frame(0x88, [0x03, 0xE8]).data), .stall], labels: [nil]),
            Ending(name: "Close 1001", steps: [.send(frame(0x88, [0x03, 0xE9]).data), .stall], labels: [nil]),
            Ending(
                name: "Close 1011", steps: [.send(frame(0x88, [0x03, 0xF3]).data), .stall],
                labels: ["transport.connectionLost"]),
            Ending(
                name: "a reserved bit", steps: [.send([0xF3, 0x00].data), .stall], labels: ["transport.malformedResponse"]),
            Ending(
                name: "a frame that is too long", steps: [.send([0x82, 127, 0x7F, 0, 0, 0, 0, 0, 0, 0].data), .stall],
                labels: ["transport.responseTooLarge"]),
            Ending(
                name: "Close 1011 and FIN", steps: [.send(frame(0x88, [0x03, 0xF3]).data), .closeConnection],
                labels: ["transport.connectionLost"]),
            Ending(
                name: "Close 1000 in the middle of a message",
                steps: [.send(frame(0x01, [0x61]).data + frame(0x88, [0x03, 0xE8]).data), .stall],
                labels: ["transport.connectionLost"]),
            Ending(
                name: "FIN in the middle of a message", steps: [.send(frame(0x01, [0x61]).data), .closeConnection],
                labels: ["transport.connectionLost"]),
            Ending(
                name: "Close 1000 and RST", steps: [.send(frame(0x88, [0x03, 0xE8]).data), .reset],
                labels: [nil, "transport.connectionLost"]),
            Ending(name: "FIN", steps: [.closeConnection], labels: ["transport.connectionLost"]),
            Ending(name: "RST", steps: [.reset], labels: ["transport.connectionLost"]),
            Ending(name: "silence", steps: [.stall], labels: ["transport.timedOut.idle"], isSilent: true),
        ]
    }

    /// What the tasks of one socket heard.
    private struct Heard {
        let reader, sender, ping, late: APIClientError?
        let closing: WebSocket.Closing?
    }

    private final class Count: Sendable {
        let value = Mutex(0)
    }

    private func hear(_ socket: WebSocket, _ sent: Count) async -> Heard {
        async let sender = failure {
            while true {
                try await socket.send(.binary(Data(count: 1 << 20)))
                sent.value.withLock { $0 += 1 }
            }
        }
        async let ping = failure { try await socket.ping(within: .seconds(100)) }
        async let reader = failure { for try await _ in socket {} }
        let all = await (reader, sender, ping)
        let late = await failure { try await socket.send(.text("late")) }
        return Heard(reader: all.0, sender: all.1, ping: all.2, late: late, closing: socket.closing)
    }

    @Test("reader, waiting and late senders and pings give the reason of `closing`", arguments: Ending.all)
    func one(ending: Ending) async throws {
        let isBlocked = try Gate()
        let server = try LoopbackServer.test { .switching($0, then: [.waitFor(isBlocked)] + ending.steps) }
        let channel = Channel.test(server)
        var options = WebSocket.Options()
        (options.compression, options.closeTimeout) = (nil, .milliseconds(300))
        if ending.isSilent { (options.pingInterval, options.pongTimeout) = (.milliseconds(500), .milliseconds(500)) }
        let sent = Count()
        let heard = await withTaskGroup(of: Heard?.self) { group in
            for _ in 0..<10 {
                group.addTask { [options] in
                    guard let socket = try? await channel.dispatcher.webSocket(.get("chat"), options) else { return nil }
                    return await self.hear(socket, sent)
                }
            }
            var before = -1
            while case let now = sent.value.withLock({ $0 }), now != before || now == 0 {
                before = now
                try? await Task.sleep(for: .milliseconds(200))
            }
            isBlocked.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        for case let heard? in heard {
            #expect(ending.labels.contains(heard.reader?.label), "\(String(describing: heard.reader))")
            let code = try #require(heard.closing?.code)
            let reason = heard.reader?.transport.map { "\($0)" }
            for other in [heard.sender, heard.ping, heard.late] {
                let text = try #require(other?.transport.map { "\($0)" }, "\(String(describing: other))")
                if let reason { #expect(text == reason) } else { #expect(text.contains("is closed (\(code))")) }
            }
        }
        #expect(heard.count == 10 && !heard.contains { $0 == nil })
    }

    /// A connection whose peer closes at once, and that sends its last frame when a test says so.
    private final class HeldConnection: RawConnection {
        let metrics: ExchangeMetrics? = nil
        let order = Mutex<[String]>([])
        let (queued, queue) = AsyncStream.makeStream(of: Void.self)
        private let (bytes, peer) = AsyncStream.makeStream(of: Data.self)
        private let sent = Mutex<(@Sendable () -> Void)?>(nil)

        init(_ bytes: [UInt8]) { peer.yield(bytes.data) }

        func read() async throws -> Data? {
            for await piece in bytes { return piece }
            return nil
        }

        func write(_ data: Data) async throws {}

        func finish(with last: Data, sent: @escaping @Sendable () -> Void) {
            self.sent.withLock { $0 = sent }
            queue.yield()
        }

        func send() {
            order.withLock { $0.append("sent") }
            sent.withLock { $0.take() }?()
        }

        func close() { peer.finish() }
    }

    @Test(
        "the loop ends when the Close frame is sent, and at the deadline if it cannot be",
        arguments: [[0x88, 0x02, 0x03, 0xE8], [0xF3, 0x00]] as [[UInt8]], [true, false])
    func order(bytes: [UInt8], isSent: Bool) async throws {
        let connection = HeldConnection(bytes)
        var options = WebSocket.Options()
        if !isSent { options.closeTimeout = .milliseconds(100) }
        let call = Call(channel: .test("http://localhost"), endpoint: "chat")
        let session = WebSocketSession(connection, .client, nil, options, context: APIClientError.Context(call))
        session.start()
        let reader = Task {
            _ = await failure { try await session.next() }
            connection.order.withLock { $0.append("told") }
        }
        for await _ in connection.queued { break }
        #expect(session.closing != nil)
        if isSent { connection.send() }
        await reader.value
        #expect(connection.order.withLock { $0 } == (isSent ? ["sent", "told"] : ["told"]))
        connection.close()
    }

    /// A connection that takes the head of a frame, and then no byte until its sender is cancelled.
    private final class StuckConnection: RawConnection {
        let metrics: ExchangeMetrics? = nil
        let (stuck, getStuck) = AsyncStream.makeStream(of: Void.self)
        private let writes = Mutex(0)
        private let (bytes, peer) = AsyncStream.makeStream(of: Data.self)

        init(_ bytes: Data) { peer.yield(bytes) }

        func read() async throws -> Data? {
            for await piece in bytes { return piece }
            return nil
        }

        func write(_ data: Data) async throws {
            let isFirst = writes.withLock { writes in
                defer { writes += 1 }
                return writes == 0
            }
            guard !isFirst else { return }
            getStuck.yield()
            try await Task.sleep(for: .seconds(3_600))
        }

        func close() { peer.finish() }
    }

    @Test("a server's socket ends that is cut in the middle of a frame while a Close waits behind unread messages")
    func cutBehindUnread() async throws {
        let writer = FrameWriter(role: .client)
        let message = writer.frame(.binary, Data(count: 70_000), isFinal: true, isCompressed: false)
        let connection = StuckConnection(message + message + writer.close(.normal, ""))
        let call = Call(channel: .test("http://localhost"), endpoint: "chat")
        let session = WebSocketSession(connection, .server, nil, WebSocket.Options(), context: APIClientError.Context(call))
        session.start()
        let sender = Task { try await session.send(.binary, Data(count: 200_000)) }
        for await _ in connection.stuck { break }
        sender.cancel()
        _ = await sender.result
        let end = await failure { while try await session.next() != nil {} }
        #expect(end?.label == "transport.connectionLost")
        while !session.state.withLock({ $0.isOver }) { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test("a peer that reads nothing holds a closing socket for the closing timeout, and no longer", arguments: [true, false])
    func bounded(isInFrame: Bool) async throws {
        let server = try LoopbackServer.test { .switching($0, then: [.stall]) }
        let transport = CurlTransport()
        let channel = Channel.test(server) { $0.transport = transport }
        var options = WebSocket.Options()
        (options.compression, options.closeTimeout) = (nil, .milliseconds(300))
        do {
            let socket = try await channel.dispatcher.webSocket(.get("chat"), options)
            let sent = Count()
            async let sender = failure {
                while true {
                    try await socket.send(.binary(Data(count: isInFrame ? 1 << 20 : 1 << 15)))
                    sent.value.withLock { $0 += 1 }
                }
            }
            var before = -1
            while case let now = sent.value.withLock({ $0 }), now != before || now == 0 {
                before = now
                try await Task.sleep(for: .milliseconds(200))
            }
            async let reader = failure { for try await _ in socket {} }
            await socket.close()
            let (error, end) = await (sender, reader)
            #expect(error?.label == "transport.connectionLost" && end == nil && socket.closing?.code == .normal)
        }
        while transport.activeExchanges > 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
}
