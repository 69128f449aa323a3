import TestSupport

@Suite("Language models", .closing, .timeLimit(.minutes(1)))
struct LanguageModelsTests {
    private static func piece(_ delta: String, _ end: String = "null") -> String {
        #"data: {"id":"1","choices":[{"index":0,"delta":\#(delta),"finish_reason":\#(end)}]}"# + "\n\n"
    }

    private static func text(_ text: String) -> String { piece(#"{"content":"\#(text)"}"#) }

    private static let done = piece("{}", #""stop""#) + "data: [DONE]\n\n"

    /// Sends events, and does not end the response.
    private static func open(_ events: String) -> ServerReply {
        [
            .sendHead(status: 200, headers: ["Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"]),
            .sendChunk(Data(events.utf8)), .stall,
        ]
    }

    private func manager(_ server: LoopbackServer) -> NetworkManager<Never> {
        var channel = Channel.models
        channel.environment = Channel.test(server).environment
        return NetworkManager(channel: channel)
    }

    /// The output of `ask`.
    private func asked(_ server: LoopbackServer) async throws -> String {
        let shown = Shared("")
        try await ask("How do bees find home?", through: manager(server)) { text in shown.change { $0 += text } }
        return shown.current
    }

    @Test("a POST streams its pieces up to the sentinel, and the request is in the server's spelling")
    func streaming() async throws {
        let server = try LoopbackServer.test { _ in Self.open(Self.text("By the ") + Self.text("sun.") + Self.done) }
        #expect(try await asked(server) == "By the sun.")
        let request = try #require(server.requests.first)
        #expect(server.requests.count == 1 && request.method == "POST")
        #expect(
            request.bodyText
                == #"{"messages":[{"content":"How do bees find home?","role":"user"}],"model":"small","stream":true}"#)
        try await server.waitForOpenConnections(atMost: 0)
    }

    private static let quota = #"{"error":{"message":"quota exceeded","type":"insufficient_quota"}}"#

    @Test(
        "a rejection, a response in JSON and an error frame are the same error",
        arguments: [
            (.json(quota, status: 429), ""), (.json(quota), ""),
            (open(text("By ") + "event: error\ndata: \(quota)\n\n"), "By "),
        ] as [(ServerReply, String)])
    func errors(reply: ServerReply, shown: String) async throws {
        let server = try LoopbackServer.test { _ in reply }
        #expect(try await asked(server) == shown + "\nThe model says: quota exceeded")
        #expect(server.requests.count == 1)
    }

    @Test("a lost connection is thrown, and the POST is not sent again")
    func lost() async throws {
        let server = try LoopbackServer.test { _ in
            [
                .sendHead(status: 200, headers: ["Content-Type": "text/event-stream", "Content-Length": "9999"]),
                .sendBody(Data(Self.text("By ").utf8)), .closeConnection,
            ]
        }
        let error = await #expect(throws: APIClientError.self) { try await asked(server) }
        #expect(error?.label == "transport.truncated" && server.requests.count == 1)
    }

    @Test("cancelling the task closes the connection, and is no error for the user")
    func stopping() async throws {
        let server = try LoopbackServer.test { _ in Self.open(Self.text("By the ")) }
        let manager = manager(server)
        let (shown, show) = AsyncStream.makeStream(of: String.self)
        let task = Task { try await ask("How do bees find home?", through: manager) { show.yield($0) } }
        #expect(await shown.first { _ in true } == "By the ")
        task.cancel()
        try await task.value
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("the pieces of two tool calls are put together")
    func tools() async throws {
        func call(_ index: Int, _ rest: String) -> String { Self.piece(#"{"tool_calls":[{"index":\#(index),\#(rest)}]}"#) }
        let text =
            call(0, #""id":"a","function":{"name":"weather","arguments":""}"#)
            + call(0, #""function":{"arguments":"{\"city\":"}"#)
            + call(1, #""id":"b","function":{"name":"time","arguments":"{}"}"#)
            + call(0, #""function":{"arguments":"\"İzmir\"}"}"#) + Self.done
        let server = try LoopbackServer.test { _ in Self.open(text) }
        let request = ChatRequest(messages: [], tools: [.object(["type": .string("function")])])
        let calls = try await toolCalls(for: request, through: manager(server))
        #expect(calls.map(\.name) == ["weather", "time"] && calls.map(\.id) == ["a", "b"])
        #expect(try query(of: calls[0]) == WeatherQuery(city: "İzmir"))
        #expect(throws: (any Error).self) { try query(of: calls[1]) }
    }

    @Test("a response in JSON mode is decoded from the message")
    func jsonMode() async throws {
        let server = try LoopbackServer.test { _ in
            .json(#"{"choices":[{"message":{"role":"assistant","content":"{\"title\":\"Menemen\",\"minutes\":20}"}}]}"#)
        }
        #expect(try await recipe(for: "menemen", through: manager(server)) == Recipe(title: "Menemen", minutes: 20))
        let sent = try #require(server.requests.first).bodyText
        #expect(sent.contains(#""response_format":{"type":"json_object"}"#) && !sent.contains("stream"))
    }
}
