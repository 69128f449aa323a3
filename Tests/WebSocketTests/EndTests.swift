import TestSupport

@testable import CoreAPIWebSocket

@Suite("The end of a WebSocket is one value", .closing, .timeLimit(.minutes(3)), .serialized)
struct EndTests {
    struct Ending: CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let end: ServerReply.Step
        let labels: Set<String?>

        var isSilent: Bool { labels == ["transport.timedOut.idle"] }

        init(
            _ name: String, _ bytes: [UInt8], _ end: ServerReply.Step = .stall,
            _ labels: Set<String?> = ["transport.connectionLost"]
        ) { (testDescription, self.bytes, self.end, self.labels) = (name, bytes, end, labels) }

        static let all = [
            Ending("Close 1000", frame(0x88, [0x03, 0xE8]), .stall, [nil]),
            Ending("Close 1001", frame(0x88, [0x03, 0xE9]), .stall, [nil]),
            Ending("Close 1011", frame(0x88, [0x03, 0xF3])),
            Ending("a reserved bit", [0xF3, 0x00], .stall, ["transport.malformedResponse"]),
            Ending(
                "a frame that is too long", [0x82, 127, 0x7F] + [UInt8](repeating: 0, count: 7), .stall,
                ["transport.responseTooLarge"]),
            Ending("Close 1011 and FIN", frame(0x88, [0x03, 0xF3]), .closeConnection),
            Ending("Close 1000 in the middle of a message", frame(0x01, [0x61]) + frame(0x88, [0x03, 0xE8])),
            Ending("FIN in the middle of a message", frame(0x01, [0x61]), .closeConnection),
            Ending("Close 1000 and RST", frame(0x88, [0x03, 0xE8]), .reset, [nil, "transport.connectionLost"]),
            Ending("FIN", [], .closeConnection), Ending("RST", [], .reset),
            Ending("silence", [], .stall, ["transport.timedOut.idle"]),
        ]
    }

    private struct Heard {
        let reader, sender, ping, late: APIClientError?
        let closing: WebSocket.Closing?
    }

    private func hear(_ socket: WebSocket, _ sent: Shared<Int>) async -> Heard {
        async let sender = flood(socket, sent)
        async let ping = failure { try await socket.ping(within: .seconds(100)) }
        async let reader = failure { for try await _ in socket {} }
        let all = await (reader, sender, ping)
        let late = await failure { try await socket.send(.text("late")) }
        return Heard(reader: all.0, sender: all.1, ping: all.2, late: late, closing: socket.closing)
    }

    @Test("reader, waiting and late senders and pings give the reason of `closing`", arguments: Ending.all)
    func one(ending: Ending) async throws {
        let isBlocked = try Gate()
        let server = try LoopbackServer.test {
            .switching($0, then: [.waitFor(isBlocked), .send(ending.bytes.data), ending.end])
        }
        let channel = Channel.test(server)
        let options = WebSocket.Options.with {
            ($0.compression, $0.closeTimeout) = (nil, .milliseconds(300))
            if ending.isSilent { ($0.pingInterval, $0.pongTimeout) = (.milliseconds(500), .milliseconds(500)) }
        }
        let sent = Shared(0)
        let heard = try await withThrowingTaskGroup(of: Heard?.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    guard let socket = try? await channel.dispatcher.webSocket(.get("chat"), options) else { return nil }
                    return await self.hear(socket, sent)
                }
            }
            _ = try await sent.settled()
            isBlocked.open()
            return try await group.reduce(into: []) { $0.append($1) }
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

    @Test(
        "the loop ends when the Close frame is sent, and at the deadline if it cannot be",
        arguments: [[0x88, 0x02, 0x03, 0xE8], [0xF3, 0x00]] as [[UInt8]], [true, false])
    func order(bytes: [UInt8], isSent: Bool) async throws {
        let connection = PlayedConnection(bytes.data, holdsEnd: true)
        let session = connection.session(.client, .with { if !isSent { $0.closeTimeout = .milliseconds(100) } })
        let order = Shared<[String]>([])
        let reader = Task {
            _ = await failure { try await session.next() }
            order.change { $0.append("told") }
        }
        let sent = await connection.ends.first { _ in true }
        #expect(session.closing != nil)
        if isSent {
            order.change { $0.append("sent") }
            sent?()
        }
        await reader.value
        #expect(order.current == (isSent ? ["sent", "told"] : ["told"]))
        connection.close()
    }

    @Test("a server's socket ends that is cut in the middle of a frame while a Close waits behind unread messages")
    func cutBehindUnread() async throws {
        let writer = FrameWriter(role: .client)
        let message = writer.frame(.binary, Data(count: 70_000), isFinal: true, isCompressed: false)
        // Takes the head of a frame, and then no byte until its sender is cancelled.
        let writes = Shared(0)
        let (stuck, getStuck) = AsyncStream.makeStream(of: Void.self)
        let connection = PlayedConnection(message + message + writer.close(.normal, "")) { _ in
            guard writes.next() > 0 else { return nil }
            getStuck.yield()
            try await Task.sleep(for: .seconds(3_600))
            return nil
        }
        let session = connection.session(.server)
        let sender = Task { try await session.send(.binary, Data(count: 200_000)) }
        for await _ in stuck { break }
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
        do {
            let socket = try await channel.dispatcher.webSocket(
                .get("chat"), .with { ($0.compression, $0.closeTimeout) = (nil, .milliseconds(300)) })
            let sent = Shared(0)
            async let sender = flood(socket, sent, with: Data(count: isInFrame ? 1 << 20 : 1 << 15))
            _ = try await sent.settled()
            async let reader = failure { for try await _ in socket {} }
            await socket.close()
            let (error, end) = await (sender, reader)
            #expect(error?.label == "transport.connectionLost" && end == nil && socket.closing?.code == .normal)
        }
        while transport.activeExchanges > 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
}
