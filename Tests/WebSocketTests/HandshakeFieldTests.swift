import TestSupport

@testable import CoreAPIWebSocket

@Suite("Fields of the handshake that a request has already", .closing, .timeLimit(.minutes(2)))
struct HandshakeFieldTests {
    /// The ways in which a field gets into a request.
    enum Origin: CaseIterable {
        case endpoint, modifier, channel, interceptor, middleware

        func set(_ name: String, _ value: String, on channel: inout Channel) throws -> GET<Void, Void> {
            let field = try #require(HTTPField.Name(name))
            switch self {
            case .endpoint: return .get("chat", headers: [name: value])
            case .modifier: return .get("chat", modifiers: [Header(name, value)])
            case .channel: channel.modifiers.append(Header(name, value))
            case .interceptor: channel.interceptors.append(Adapting(field: field, value: value))
            case .middleware: channel.attemptMiddleware.append(RequestSigning { $0.headers[field] = value })
            }
            return .get("chat")
        }
    }

    private struct Adapting: RequestInterceptor {
        let field: HTTPField.Name
        let value: String
        func adapt(_ request: inout Request) async throws { request.headers[field] = value }
    }

    @Test("subprotocols go to another origin with a redirect, from field or option; no secret does", arguments: [true, false])
    func redirectedSubprotocol(isField: Bool) async throws {
        let server = try LoopbackServer.test { .webSocket($0, .init(subprotocols: "v1"), serve: echo) }
        let address = isField ? server.url : server.url.replacing("http:", with: "ws:")
        let first = try LoopbackServer.test { _ in .redirect(to: "\(address)/chat", status: 307) }
        let channel = Channel.test(first) {
            $0.modifiers += [Header("Authorization", "Bearer s3cret"), Header("Cookie", "session=s3cret")]
        }
        let endpoint = TypedEndpoint.get("chat", headers: isField ? ["Sec-WebSocket-Protocol": "v1"] : [:])
        let options = isField ? WebSocket.Options() : WebSocket.Options(subprotocols: "v1")
        #expect(try await channel.dispatcher.webSocket(endpoint, options).subprotocol == "v1")
        #expect(server.requests.map { $0.headers.all("Sec-WebSocket-Protocol") } == [["v1"]])
        #expect(first.requests.first?.headers["authorization"] == "Bearer s3cret")
        #expect(server.requests.allSatisfy { !String(decoding: $0.rawHead, as: UTF8.self).contains("s3cret") })
    }

    @Test("subprotocols in a field are offered and agreed as those of the option", arguments: Origin.allCases)
    func subprotocolField(origin: Origin) async throws {
        let server = try LoopbackServer.test { .webSocket($0, .init(subprotocols: "v1"), serve: echo) }
        var channel = Channel.test(server)
        let endpoint = try origin.set("Sec-WebSocket-Protocol", "v2, v1", on: &channel)
        for options in [WebSocket.Options(), WebSocket.Options(subprotocols: "v2", "v1")] {
            #expect(try await channel.dispatcher.webSocket(endpoint, options).subprotocol == "v1")
        }
        #expect(server.requests.map { $0.headers.all("Sec-WebSocket-Protocol") } == [["v2, v1"], ["v2, v1"]])
    }

    @Test(
        "a field that the handshake would replace is rejected before it is sent, and the error names the cure",
        arguments: [
            ("Sec-WebSocket-Protocol", "v9", "subprotocols"), ("Sec-WebSocket-Protocol", "v1 v2", "token"),
            ("Sec-WebSocket-Extensions", "permessage-deflate", "compression"), ("Sec-WebSocket-Version", "8", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==", "key"), ("Sec-WebSocket-Accept", "x", "response"),
            ("Upgrade", "h2c", "websocket"), ("Connection", "close", "Upgrade"),
        ], Origin.allCases)
    func replacedField(field: (name: String, value: String, word: String), origin: Origin) async throws {
        let server = try LoopbackServer.test { .webSocket($0, serve: echo) }
        var channel = Channel.test(server)
        let endpoint = try origin.set(field.name, field.value, on: &channel)
        let options = field.word == "subprotocols" ? WebSocket.Options(subprotocols: "v1") : WebSocket.Options()
        let error = await failure { try await channel.dispatcher.webSocket(endpoint, options) }
        guard case .request(.malformedHeader(field.name, let reason), _)? = error else { throw try #require(error) }
        #expect(reason.contains(field.word) && !reason.contains("dGhl"), "\(reason)")
        #expect(server.connectionsAccepted == 0)
    }

    @Test(
        "a field of the handshake with its own value makes no difference", arguments: Origin.allCases,
        [("Sec-WebSocket-Version", "13"), ("Upgrade", "WebSocket"), ("Connection", "keep-alive, Upgrade")])
    func sameField(origin: Origin, field: (name: String, value: String)) async throws {
        let server = try LoopbackServer.test { .webSocket($0, serve: echo) }
        var channel = Channel.test(server)
        let endpoint = try origin.set(field.name, field.value, on: &channel)
        try await channel.dispatcher.webSocket(endpoint).close()
        #expect(server.requests.first?.headers.all("Connection") == ["Upgrade"])
        #expect(server.requests.first?.headers.all("Upgrade") == ["websocket"])
        #expect(server.requests.first?.headers.all("Sec-WebSocket-Version") == ["13"])
    }
}

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
        let began = ContinuousClock.now
        let error = await failure { try await chat(server) }
        let labels = ["headTooLarge", "tooManyHeadLines", "malformedResponse"]
        #expect(labels.contains(error?.transport?.label ?? ""), "\(String(describing: error))")
        #expect(began.duration(to: .now) < .seconds(20))
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("a compressed message of a million final blocks takes no time to speak of")
    func finalBlocks() async throws {
        // Each is an empty block that is marked as the last of its stream.
        let blocks = [UInt8](repeating: 0, count: 2 << 20).enumerated().map { $0.offset.isMultiple(of: 2) ? 3 : 0 } as [UInt8]
        let server = try LoopbackServer.test { .switching($0, then: [.send(frame(0xC2, blocks).data), .stall]) }
        let socket = try await chat(server)
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
        let socket = try await chat(server, .with { $0.closeTimeout = .milliseconds(200) })
        let waiting = Task { for try await _ in socket {} }
        if closes { await socket.close() } else { waiting.cancel() }
        _ = await waiting.result
        try await server.waitForOpenConnections(atMost: 0)
    }
}
