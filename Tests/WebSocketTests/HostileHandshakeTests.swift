import TestSupport

@testable import CoreAPIWebSocket

/// Servers that never come to an end, before a WebSocket is open and after.
@Suite("A hostile peer without an end", .closing, .timeLimit(.minutes(1)))
struct HostileHandshakeTests {
    @Test(
        "a response without an end is rejected at the limits of the channel",
        arguments: [
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", "HTTP/1.1 100\r\n\r\n", "A: b\r\n", "aaaaaaaaaaaaaaaa", "\r\n",
        ])
    func endlessAnswer(text: String) async throws {
        let start = text.hasPrefix("A") || text.hasPrefix("a") ? "HTTP/1.1 101 Switching Protocols\r\n" : ""
        let server = try LoopbackServer.test { _ in
            [.send(Data(start.utf8)), .sendEndlessly(Data(String(repeating: text, count: 1_000).utf8))]
        }
        let channel = Channel.test(server)
        let began = ContinuousClock.now
        let error = await failure { try await channel.dispatcher.webSocket(.get("chat")) }
        switch error?.transport {
        case .headTooLarge, .tooManyHeadLines, .malformedResponse: break
        default: Issue.record("\(String(describing: error))")
        }
        #expect(began.duration(to: .now) < .seconds(20))
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("a redirect to another host takes no secret there")
    func otherHost() async throws {
        let other = try LoopbackServer.test { .webSocket($0, serve: echo) }
        let target = "\(other.url)/chat"
        let server = try LoopbackServer.test { _ in .redirect(to: target.replacing("http://", with: "ws://")) }
        let channel = Channel.test(server) {
            $0.modifiers += [Header("Authorization", "Bearer s3cret"), Header("Cookie", "session=s3cret")]
        }
        let socket = try? await channel.dispatcher.webSocket(.get("chat"))
        #expect(server.requests.first?.headers["authorization"] == "Bearer s3cret")
        #expect(other.requests.allSatisfy { !String(decoding: $0.rawHead, as: UTF8.self).contains("s3cret") })
        await socket?.close()
    }

    @Test("a compressed message of a million final blocks takes no time to speak of")
    func finalBlocks() async throws {
        // Each is an empty block that is marked as the last of its stream.
        let blocks = [UInt8](repeating: 0, count: 2 << 20).enumerated().map { $0.offset.isMultiple(of: 2) ? 3 : 0 } as [UInt8]
        let server = try LoopbackServer.test { .switching($0, then: [.send(frame(0xC2, blocks).data), .stall]) }
        let channel = Channel.test(server)
        let socket = try await channel.dispatcher.webSocket(.get("chat"))
        let began = ContinuousClock.now
        let error = await failure { for try await _ in socket { break } }
        #expect(error?.label == "transport.malformedResponse", "\(String(describing: error)), after \(began.duration(to: .now))")
        #expect(began.duration(to: .now) < .seconds(20))
        #expect(socket.closing?.code == .invalidData)
    }

    @Test("a flood of empty fragments ends with the socket", arguments: [true, false])
    func emptyFragments(closes: Bool) async throws {
        let fragments = Array(repeating: frame(0x00), count: 1_000).flatMap(\.self).data
        let server = try LoopbackServer.test { .switching($0, then: [.send(frame(0x01).data), .sendEndlessly(fragments)]) }
        let channel = Channel.test(server)
        var options = WebSocket.Options()
        options.closeTimeout = .milliseconds(200)
        let socket = try await channel.dispatcher.webSocket(.get("chat"), options)
        let waiting = Task { for try await _ in socket {} }
        if closes { await socket.close() } else { waiting.cancel() }
        _ = await waiting.result
        try await server.waitForOpenConnections(atMost: 0)
    }
}
