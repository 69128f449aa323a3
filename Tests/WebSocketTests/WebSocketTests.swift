import TestSupport

@testable import CoreAPIWebSocket

@Suite("WebSocket", .closing, .timeLimit(.minutes(2)))
struct WebSocketTests {
    @Test("messages go both ways, in clear text and over TLS", arguments: [false, true])
    func echoes(secure: Bool) async throws {
        let server = try LoopbackServer.test(tls: secure ? ServerTLS() : nil) { .webSocket($0, serve: echo) }
        let socket = try await chat(server)
        #expect(socket.isCompressed)
        let messages: [WebSocket.Message] = [
            .text("where are you?"), .text(""), .binary(Data()), .binary(.noise(200_000)),
            .text(String(repeating: "kırmızı çanta ", count: 10_000)),
        ]
        var received: [WebSocket.Message] = []
        for message in messages { try await socket.send(message) }
        for try await message in socket {
            received.append(message)
            if received.count == messages.count { break }
        }
        #expect(received == messages)
        #expect(try await socket.ping() > .zero)
        await socket.close(reason: "done")
        #expect(socket.closing == .init(code: .normal, reason: "done", side: .here))
    }

    @MainActor private final class Chat: ChannelNetworker<Never> {
        var failures: [String] = []
        func say(_ text: String, over socket: WebSocket) { send([text], over: socket) { $0.failures.append($1.label) } }
    }

    @Test("an interactor sends values in order, is told of a failure, and is not kept alive")
    @MainActor func interactor() async throws {
        let server = try LoopbackServer.test { .webSocket($0, serve: echo) }
        let channel = Channel.test(server)
        let socket = try await channel.dispatcher.webSocket(.get("chat"))
        let chat = Chat(channel)
        chat.say("hello", over: socket)
        let lines = ["hello"] + (0..<200).map { "line \($0)" }
        for line in lines.dropFirst() { chat.say(line, over: socket) }
        var received: [WebSocket.Message] = []
        for try await message in socket {
            received.append(message)
            if received.count == lines.count { break }
        }
        #expect(received == lines.map { .text("[\"\($0)\"]") })
        await socket.close()
        chat.say("too late", over: socket)
        while chat.failures.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(chat.failures == ["transport.connectionLost"])
        weak var gone: Chat?
        do {
            let other = Chat(channel)
            gone = other
            other.say("never sent", over: socket)
        }
        #expect(gone == nil)
    }
}
