import TestSupport

@testable import CoreAPIWebSocket

/// Frames from a server that breaks the rules, over real sockets.
@Suite("A hostile peer", .closing, .timeLimit(.minutes(2)))
struct HostilePeerTests {
    /// A server that sends bytes after its handshake, and then records the client's bytes until the client ends.
    private func server(
        _ bytes: [UInt8], pieces: Int? = nil, secure: Bool = false, _ options: WebSocket.Options = .init(), heard: Shared<Data>
    ) throws -> LoopbackServer {
        let peer = ServerReply.Step.takeOver { connection in
            for await piece in bytes.data.pieces(pieces ?? bytes.count) { try? await connection.write(piece) }
            // Like a real server, it closes after the client's Close frame has arrived.
            while let data = try? await connection.read() {
                heard.change { $0 += data }
                if (try? closeCode(in: heard.current)) != nil { return }
            }
        }
        return try LoopbackServer.test(tls: secure ? ServerTLS() : nil) { .switching($0, options, then: [peer]) }
    }

    @Test("a broken rule is a typed error, and the peer receives its code", arguments: MessageReaderTests.violations.indices)
    func violations(index: Int) async throws {
        let (name, bytes, code) = MessageReaderTests.violations[index]
        let heard = Shared(Data())
        let options = WebSocket.Options.with { $0.compression = nil }
        let server = try server(frame(0x81, "first".utf8) + bytes, secure: index.isMultiple(of: 3), options, heard: heard)
        let socket = try await chat(server, options)
        var texts: [WebSocket.Message] = []
        let error = await failure { for try await message in socket { texts.append(message) } }
        #expect(texts.first == .text("first"), "\(name)")
        #expect(error?.transport?.label == (code == 1009 ? "responseTooLarge" : "malformedResponse"), "\(name)")
        #expect(code == 1009 || "\(String(describing: error))".contains("RFC"), "\(name)")
        #expect(socket.closing?.code.rawValue == UInt16(code))
        #expect(socket.closing?.side == .here)
        try await server.waitForOpenConnections(atMost: 0)
        #expect(try closeCode(in: heard.current) == code, "\(name)")
        let late = await failure { try await socket.send(.text("late")) }
        #expect(late != nil && late?.label == error?.label, "\(name)")
    }

    @Test("messages in pieces of one byte arrive complete", arguments: [false, true])
    func bytewise(secure: Bool) async throws {
        let bytes =
            frame(0x01, "gü".utf8.prefix(2)) + frame(0x89, [7]) + frame(0x80, "gü".utf8.dropFirst(2)) + frame(0x88, [0x03, 0xE8])
        let heard = Shared(Data())
        let server = try server(bytes, pieces: 1, secure: secure, heard: heard)
        let socket = try await chat(server)
        var messages: [WebSocket.Message] = []
        for try await message in socket { messages.append(message) }
        #expect(messages == [.text("gü")])
        #expect(socket.closing == .init(code: .normal, reason: "", side: .peer))
        try await server.waitForOpenConnections(atMost: 0)
        let events = try MessageReaderTests.read(Array(heard.current), as: .server)
        #expect(events == [.pong(Data([7])), .close(.normal, reason: "")] || events == [.close(.normal, reason: "")])
    }

    @Test("a bomb ends the socket with 1009")
    func bomb() async throws {
        let deflater = try #require(MessageDeflater(DeflateAgreement()))
        let bomb = try #require([UInt8](repeating: 0, count: 64 << 20).withUnsafeBytes { deflater.compress($0) })
        let heard = Shared(Data())
        let server = try server(frame(0xC2, bomb), heard: heard)
        let socket = try await chat(server, .with { $0.messageSize = 1 << 20 })
        #expect(await failure { for try await _ in socket {} }?.transport == .responseTooLarge(limit: 1 << 20))
        try await server.waitForOpenConnections(atMost: 0)
        #expect(try closeCode(in: heard.current) == 1009)
    }

    @Test("an end without a Close frame is abnormal: FIN, RST, and over TLS without close_notify", arguments: 0..<5)
    func abnormalEnd(form: Int) async throws {
        let end: [ServerReply.Step] = [
            [.closeConnection], [.reset], [.truncate], [.closeConnection],
            [.send(frame(0x81, "ab".utf8).prefix(3).map { $0 }.data), .closeConnection],
        ][form]
        let server = try LoopbackServer.test(tls: form == 2 || form == 3 ? ServerTLS() : nil) {
            .switching($0, then: [.send(frame(0x81, "first".utf8).data)] + end)
        }
        let socket = try await chat(server)
        let error = await failure { for try await _ in socket {} }
        #expect(error?.label == "transport.connectionLost", "\(String(describing: error))")
        #expect(socket.closing == .init(code: .abnormal, reason: "", side: .peer))
        #expect(await failure { try await socket.ping() }?.label == error?.label)
        await socket.close()
    }

    @Test(
        "the peer's code decides whether the loop ends or throws",
        arguments: [(1000, true), (1001, true), (nil, true), (1008, false), (1011, false), (3000, false), (4999, false)]
            as [(Int?, Bool)])
    func closeCodes(code: Int?, isOrderly: Bool) async throws {
        let payload = code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] + Array("why not".utf8) } ?? []
        let heard = Shared(Data())
        let server = try server(frame(0x88, payload), heard: heard)
        let socket = try await chat(server)
        let error = await failure { for try await _ in socket {} }
        #expect((error == nil) == isOrderly, "\(String(describing: error))")
        if let error { #expect("\(error)".contains("\(code ?? 0)") && "\(error)".contains("why not")) }
        #expect(socket.closing?.code.rawValue == UInt16(code ?? 1005))
        #expect(socket.closing?.reason == (code == nil ? "" : "why not"))
        try await server.waitForOpenConnections(atMost: 0)
        #expect(try closeCode(in: heard.current) == code ?? 1005, "the code is echoed")
    }

    @Test("bytes after a Close frame are not read")
    func afterClose() async throws {
        let heard = Shared(Data())
        let server = try server(frame(0x88, [0x03, 0xE8]) + frame(0x81, "late".utf8) + frame(0xFF), heard: heard)
        let socket = try await chat(server)
        for try await message in socket { Issue.record("read \(message)") }
        #expect(socket.closing?.code == .normal)
    }

    @Test("if a server does not answer a Close or end the connection, the socket ends at the deadline", arguments: [true, false])
    func unanswered(answers: Bool) async throws {
        let peer = ServerReply.Step.takeOver { connection in
            var isAnswered = !answers
            while let _ = try? await connection.read() {
                if !isAnswered { try? await connection.write(frame(0x88, [0x03, 0xE8]).data) }
                isAnswered = true
            }
        }
        let server = try LoopbackServer.test { .switching($0, then: [peer]) }
        let socket = try await chat(server, .with { $0.closeTimeout = .milliseconds(200) })
        let began = ContinuousClock.now
        await socket.close()
        #expect(began.duration(to: .now) >= .milliseconds(150))
        #expect(socket.closing == .init(code: .normal, reason: "", side: .here))
        #expect(try await socket.first { _ in true } == nil)
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("a flood of pings is answered, and its reader can be cancelled while the server does not read")
    func pings() async throws {
        let flood = Data((0..<5_000).flatMap { _ in frame(0x89, [1, 2, 3]) })
        let server = try LoopbackServer.test { .switching($0, then: [.sendEndlessly(flood)]) }
        let socket = try await chat(server)
        let task = Task { await failure { for try await _ in socket {} } }
        try await Task.sleep(for: .milliseconds(500))
        task.cancel()
        #expect(await task.value?.isCancelled == true)
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("a silent peer gets a ping, and the socket ends if it does not answer")
    func silence() async throws {
        let heard = Shared(Data())
        let peer = ServerReply.Step.takeOver { connection in
            while let data = try? await connection.read() { heard.change { $0 += data } }
        }
        let server = try LoopbackServer.test { .switching($0, then: [peer]) }
        let socket = try await chat(server, .with { ($0.pingInterval, $0.pongTimeout) = (.milliseconds(100), .seconds(1)) })
        #expect(await failure { for try await _ in socket {} }?.label == "transport.timedOut.idle")
        #expect(socket.closing == .init(code: .abnormal, reason: "", side: .here))
        try await server.waitForOpenConnections(atMost: 0)
        #expect(try MessageReaderTests.read(Array(heard.current), as: .server) == [.ping(Data())])
    }

    @Test("an explicit ping without a response times out, and the socket stays open")
    func pingTimeout() async throws {
        let gate = try Gate()
        let server = try LoopbackServer.test {
            .switching($0, then: [.waitFor(gate), .send(frame(0x81, "still here".utf8).data), .stall])
        }
        let socket = try await chat(server)
        #expect(await failure { try await socket.ping(within: .milliseconds(50)) }?.label == "transport.timedOut.idle")
        gate.open()
        #expect(try await socket.first { _ in true } == .text("still here"))
    }
}
