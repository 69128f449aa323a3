import ArgumentParser
import TestSupport

@testable import NetworkerCommand

@Suite("networker events", .closing, .timeLimit(.minutes(1)))
struct EventsCommandTests {
    private func plan(_ words: [String]) throws -> CallPlan {
        try CommandSetup.$current.withValue(CommandSetup(registry: .standard)) { try EventsCommand.parse(words).plan() }
    }

    @Test("takes an address, or a channel and a path, with a method and items as 'call', and rejects other words")
    func words() throws {
        #expect(try plan([":8080/x"]).path == "/x")
        for (words, method, path) in [
            ([":8080/x", "q==1"], "GET", "/x?q=1"), ([":8080/x", "a=1"], "POST", "/x"), (["PUT", ":8080/x", "a=1"], "PUT", "/x"),
            ([":8080/x", "-d", "{}"], "POST", "/x"), (["TY", "orders", "q==1"], "GET", "orders?q=1"),
            (["TY", "GET", "a"], "GET", "a"),
            (["TY", "post", "chat", "a=1"], "POST", "chat"), (["TY", "POST"], "GET", "POST"),
        ] {
            let plan = try plan(words)
            #expect(plan.method.rawValue == method && plan.path == path, "\(words)")
        }
        for words in [
            [], ["a", "b"], ["nowhere"], ["TY"], [":8080/x", "y"], [":8080", "--count", "0"], [":8080", "--reconnections", "-1"],
            [":8080", "--event-size", "0"], [":8080", "--form"], [":8080", "--auth", "x"], [":8080", "--auth-type", "digest"],
        ] { #expect(throws: (any Error).self, "\(words)") { try plan(words) } }
    }

    @Test("prints an event as a block or a line of JSON, without control characters")
    func texts() {
        let event = ServerSentEvent(id: "7", name: "tick\u{1B}[2J", data: "one\ntwo\u{7}")
        #expect(EventText.block(event, Palette(isTerminal: false, variables: [:])) == "tick\\u{1B}[2J 7\n  one\n  two\\u{07}")
        #expect(EventText.json(event) == #"{"data":"one\ntwo\u0007","id":"7","name":"tick\u001b[2J"}"#)
    }

    /// Answers every request with these events, and ends the response unless it stays silent.
    private func server(_ events: String, staysOpen: Bool = false) throws -> LoopbackServer {
        try .test { _ in
            [
                .sendHead(status: 200, headers: ["Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"]),
                .sendChunk(Data(events.utf8)), staysOpen ? .stall : .endChunks(),
            ]
        }
    }

    @Test("sends a POST with its body and credentials once, and ends well at the end of the events")
    func post() async throws {
        let server = try server("data: a\n\ndata: [DONE]\n\n")
        try await BuiltCommand.expect(
            ["events", server.url + "/chat", "stream:=true", "n=1", "--auth", "ege:secret1"], 0,
            "message\n  a\nmessage\n  [DONE]\n", "ended by the server; a POST is sent once\n")
        let request = try #require(server.requests.first)
        #expect(request.method == "POST" && request.body == Data(#"{"stream":true,"n":"1"}"#.utf8) && server.requests.count == 1)
        #expect(request.headers["authorization"] == "Basic \(Data("ege:secret1".utf8).base64EncodedString())")
        let piped = try await BuiltCommand.shell("echo '{}' | \"$1\" events POST \"$2\" --data @- --count 1", [server.url])
        #expect(piped.status == 0 && server.requests.last?.body == Data("{}\n".utf8), "\(piped.text)")
        let lost = try await BuiltCommand.shell("echo '{}' | \"$1\" events POST \"$2\"", [server.url])
        #expect(lost.status == 64 && lost.text.contains("expected --data @- to send that data"), "\(lost.text)")
    }

    @Test("says which option allows a larger event, and shows one that it allows")
    func largeEvent() async throws {
        let server = try server("data: \(String(repeating: "x", count: 5_000))\n\n")
        let words = ["events", server.url, "--count", "1", "--reconnections", "0", "--event-size"]
        try await BuiltCommand.expect(words + ["4k"], 1, "hint: --event-size sets another limit")
        try await BuiltCommand.expect(words + ["6k"], 0, "message\n  xxxx")
    }

    @Test("shows the body of a response that has no events, escaped, on standard error", arguments: [200, 403])
    func rejected(status: Int) async throws {
        let body = Data(#"{"error":{"message":"quota \u001b[2J"}}"#.utf8)
        let server = try LoopbackServer.test { _ in .status(status, body: body, headers: ["Content-Type": "application/json"]) }
        let shown = try await BuiltCommand.streams(["events", "POST", server.url])
        #expect(shown.status == 1 && shown.output.isEmpty, "\(shown)")
        #expect(shown.errors.contains(#"    "message": "quota \u001b[2J""#) && shown.errors.contains("}\nerror: "), "\(shown)")
    }

    @Test("end at the sentinel, which is not shown, and do not begin again")
    func sentinel() async throws {
        let server = try server("data: 1\n\ndata: [DONE]\n\ndata: 2\n\n", staysOpen: true)
        let shown = try await BuiltCommand.expect(["events", server.url, "--sentinel", "[DONE]"], 0, "message\n  1\n")
        #expect(shown.hasSuffix("ended at '[DONE]'\n") && server.requests.count == 1, "\(shown)")
    }

    @Test("without their sentinel are a failure: the server has ended early")
    func sentinelMissing() async throws {
        let words = ["events", "POST", try server("data: 1\n\n").url, "--sentinel", "[DONE]"]
        try await BuiltCommand.expect(words, 1, "the body ended before '[DONE]'")
    }

    @Test("that stay silent name the option for it")
    func silent() async throws {
        let words = ["events", try server(":\n", staysOpen: true).url, "--idle", "0.2", "--reconnections", "0"]
        try await BuiltCommand.expect(words, 1, "hint: --idle sets another limit, in seconds")
    }

    @Test("end with their reader, and not with the server")
    func readerGone() async throws {
        let server = try LoopbackServer.test { _ in
            let events = Data(String(repeating: "data: x\n\n", count: 1_000_000).utf8)
            return [
                .sendHead(status: 200, headers: ["Content-Type": "text/event-stream"]),
                .throttled(events, chunkSize: 9_000, interval: .milliseconds(1)),
            ]
        }
        let read = try await BuiltCommand.shell("\"$1\" events \"$2\" 2>/dev/null | head -n 1", [server.url])
        #expect(read.status == 0 && read.text == "message\n")
    }
}
