import ArgumentParser
import CoreAPIWebSocket
import TestSupport

@testable import NetworkerCommand

@Suite("networker ws", .closing, .timeLimit(.minutes(1)))
struct WebSocketCommandTests {
    /// Runs the command, and expects its exit code, its standard output, and parts of its standard error.
    private func expect(
        _ arguments: [String], _ status: Int32, _ output: String, _ parts: String..., without others: [String] = [],
        input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await BuiltCommand.streams(["ws"] + arguments, input: written(input).path)
        let isRight = found.status == status && String(decoding: found.output, as: UTF8.self) == output
        let areThere = parts.allSatisfy(found.errors.contains) && !others.contains(where: found.errors.contains)
        #expect(isRight && areThere, "\(arguments): \(found)", sourceLocation: sourceLocation)
    }

    @Test("sends lines, and prints only the messages on standard output")
    func lines() async throws {
        let server = try LoopbackServer.test { request in
            .webSocket(request, .init(subprotocols: "chat")) { socket in
                var count = 0
                for try await message in socket {
                    try await socket.send(message)
                    count += 1
                    if count == 2 { return await socket.close(reason: "both seen") }
                }
            }
        }
        let arguments = [
            "ws://127.0.0.1:\(server.port)/chat?room=7", "-H", "X-Key: k", "--subprotocol", "chat", "--wait", "50", "-v",
        ]
        let text = "where are you?\ngün aydın\n"
        try await expect(arguments, 0, text, "open, subprotocol chat, compressed", "closed by the peer: 1000", input: text)
        #expect(server.requests.first?.target == "/chat?room=7" && server.requests.first?.headers["X-Key"] == "k")
    }

    @Test("a terminal shows control characters of a message instead of obeying them; a pipe gets every byte")
    func terminal() {
        let text = "one\u{1B}[2J\r\ntwo\u{7}\n"
        for message in [WebSocket.Message.text(text), .binary(Data(text.utf8))] {
            let end = if case .text = message { "\n" } else { "" }
            let shown = String(decoding: WebSocketCommand.shown(message, isTerminal: true), as: UTF8.self)
            #expect(shown == "one\\u{1B}[2J\ntwo\\u{07}\n" + end)
            #expect(WebSocketCommand.shown(message, isTerminal: false) == Data((text + end).utf8))
        }
    }

    @Test("closes the socket after the wait")
    func waits() async throws {
        let server = try LoopbackServer.test { request in .webSocket(request) { socket in for try await _ in socket {} } }
        try await expect([":\(server.port)", "--wait", "0.3", "-v"], 0, "", "closed by this side: 1000")
    }

    @Test("a server's code decides the exit code", arguments: [(1_000, 0), (1_011, 1)] as [(UInt16, Int32)])
    func codes(code: UInt16, expected: Int32) async throws {
        let server = try LoopbackServer.test { request in
            .webSocket(request) { socket in
                try await socket.send(.text("bye"))
                await socket.close(code: .init(rawValue: code), reason: "closing time")
            }
        }
        let words = [":\(server.port)", "--wait", "20"]
        try await expect(words, expected, "bye\n", "closing time", without: ["response", "processed"])
    }

    @Test("a rejected handshake is an error on standard error with the response's body, with exit code 1")
    func rejected() async throws {
        let server = try LoopbackServer.test { _ in .status(403, body: Data("no".utf8)) }
        let hint = "hint: the server answered as for a page"
        try await expect([server.url], 1, "", "no\nerror: expected the status 101, got 403", hint)
    }

    @Test(
        "an invalid command line is rejected with 64",
        arguments: [
            (["TY"], "expected a path after 'TY'"), (["TY", "https://a.example/b"], "names its own host"),
            (["wss://a.example/b", "c"], "the address already has a path"), (["nothing"], "unknown channel 'nothing'"),
            ([":80", "-H", "X"], "there is no colon"), ([":80", "--wait", "0"], "expected more than 0"),
            (["ftp://a.example"], "ftp"), ([":80", "--environment", "sandbox"], "--environment is for a channel"),
        ] as [([String], String)])
    func invalid(arguments: [String], expected: String) async throws { try await expect(arguments, 64, "", expected) }
}
