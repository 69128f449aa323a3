import TestSupport

@testable import CoreAPIWebSocket

@Suite("Fields of the handshake that a request has already", .closing, .timeLimit(.minutes(2)))
struct HandshakeFieldTests {
    /// The ways in which a field gets into a request.
    enum Origin: CaseIterable {
        case endpoint, modifier, channel, interceptor, middleware

        func set(_ name: String, _ value: String, on channel: inout Channel) -> GET<Void, Void> {
            switch self {
            case .endpoint: return .get("chat", headers: [name: value])
            case .modifier: return .get("chat", modifiers: [Header(name, value)])
            case .channel: channel.modifiers.append(Header(name, value))
            case .interceptor: channel.interceptors.append(Adapting(name: name, value: value))
            case .middleware: channel.attemptMiddleware.append(Setting(name: name, value: value))
            }
            return .get("chat")
        }
    }

    private struct Adapting: RequestInterceptor {
        let name, value: String
        func adapt(_ request: inout Request) async throws {
            if let name = HTTPField.Name(name) { request.headers[name] = value }
        }
    }

    private struct Setting: Middleware {
        let name, value: String

        func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
            let changed = attempt.with { request in
                if let name = HTTPField.Name(name) { request.headers[name] = value }
            }
            return await next(changed)
        }
    }

    @Test("subprotocols in a field go to another origin with a redirect, as those of the option do", arguments: [true, false])
    func redirectedSubprotocol(isField: Bool) async throws {
        let server = try LoopbackServer.test { .webSocket($0, .init(subprotocols: "v1"), serve: echo) }
        let first = try LoopbackServer.test { [url = server.url] _ in .status(307, headers: ["Location": "\(url)/chat"]) }
        let channel = Channel.test(first)
        let endpoint = TypedEndpoint.get("chat", headers: isField ? ["Sec-WebSocket-Protocol": "v1"] : [:])
        let options = isField ? WebSocket.Options() : WebSocket.Options(subprotocols: "v1")
        #expect(try await channel.dispatcher.webSocket(endpoint, options).subprotocol == "v1")
        #expect(server.requests.map { $0.headers.all("Sec-WebSocket-Protocol") } == [["v1"]])
    }

    @Test("subprotocols in a field are offered and agreed as those of the option", arguments: Origin.allCases)
    func subprotocolField(origin: Origin) async throws {
        let server = try LoopbackServer.test { .webSocket($0, .init(subprotocols: "v1"), serve: echo) }
        var channel = Channel.test(server)
        let endpoint = origin.set("Sec-WebSocket-Protocol", "v2, v1", on: &channel)
        for options in [WebSocket.Options(), WebSocket.Options(subprotocols: "v2", "v1")] {
            let socket = try await channel.dispatcher.webSocket(endpoint, options)
            #expect(socket.subprotocol == "v1")
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
        let endpoint = origin.set(field.name, field.value, on: &channel)
        let options = field.word == "subprotocols" ? WebSocket.Options(subprotocols: "v1") : WebSocket.Options()
        let error = await failure { try await channel.dispatcher.webSocket(endpoint, options) }
        guard case .request(.malformedHeader(field.name, let reason), _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains(field.word) && !reason.contains("dGhl"), "\(reason)")
        #expect(server.connectionsAccepted == 0)
    }

    @Test(
        "a field of the handshake with its own value makes no difference", arguments: Origin.allCases,
        [("Sec-WebSocket-Version", "13"), ("Upgrade", "WebSocket"), ("Connection", "keep-alive, Upgrade")])
    func sameField(origin: Origin, field: (name: String, value: String)) async throws {
        let server = try LoopbackServer.test { .webSocket($0, serve: echo) }
        var channel = Channel.test(server)
        let endpoint = origin.set(field.name, field.value, on: &channel)
        try await channel.dispatcher.webSocket(endpoint).close()
        #expect(server.requests.first?.headers.all("Connection") == ["Upgrade"])
        #expect(server.requests.first?.headers.all("Upgrade") == ["websocket"])
        #expect(server.requests.first?.headers.all("Sec-WebSocket-Version") == ["13"])
    }
}
