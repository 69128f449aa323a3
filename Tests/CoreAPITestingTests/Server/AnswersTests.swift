import TestSupport

@Suite("The loopback server answers", .closing, .timeLimit(.minutes(1)))
struct AnswersTests {
    /// All bytes that a client reads from a fresh connection whose request gets this reply.
    private func exchange(_ reply: ServerReply, method: String = "GET") throws -> String {
        let server = try LoopbackServer.test { _ in reply }
        let client = try RawClient(server, sending: "\(method) / HTTP/1.1\r\nConnection: close\r\n\r\n")
        return try String(decoding: client.receiveToEnd(), as: UTF8.self)
    }

    /// A reply, and all that is sent for it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reply: ServerReply
        let method: String
        let text: String

        init(_ name: String, _ reply: ServerReply, method: String = "GET", _ text: String) {
            (testDescription, self.reply, self.method, self.text) = (name, reply, method, text)
        }

        static let all = [
            Case(
                "a text, with its length and type", .ok("çanta", headers: ["X-A": "1"]),
                "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 6\r\n\r\nçanta"),
            Case(
                "JSON, unchanged", .json(#"{"a": 1}"#, status: 404),
                "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{\"a\": 1}"),
            Case("no body and no length", .status(204), "HTTP/1.1 204 No Content\r\n\r\n"),
            Case("neither with a 304", .status(304), "HTTP/1.1 304 Not Modified\r\n\r\n"),
            Case(
                "a redirect to its target", .redirect(to: "/next", status: 307),
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n"),
            Case(
                "chunks and their end", .chunked(["ab", "0123456789abcdef"]),
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n"),
            Case(
                "trailers after the last chunk",
                [.sendHead(status: 200), .sendChunk(Data("a".utf8)), .endChunks(trailers: ["X-Sum": "1"])],
                "HTTP/1.1 200 OK\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n"),
            Case(
                "the head alone for HEAD", .chunked(["body"]), method: "HEAD",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            Case(
                "conflicting headers and an odd status line, exactly as given",
                [
                    .sendHead(status: 999, reason: "", headers: ["Content-Length": "3", "content-length": "5"]),
                    .sendBody(Data("abc".utf8)),
                ], "HTTP/1.1 999 \r\nContent-Length: 3\r\ncontent-length: 5\r\n\r\nabc"),
        ]
    }

    @Test("each reply is sent byte for byte", arguments: Case.all)
    func bytes(of example: Case) throws { #expect(try exchange(example.reply, method: example.method) == example.text) }

    @Test("a script is played in order across connections, and a request beyond its end gets an explanation")
    func script() throws {
        let server = try LoopbackServer.test(script: [.ok("one."), .status(503, body: Data("two.".utf8))])
        let first = try RawClient(server)
        let second = try RawClient(server)
        #expect(try first.get("/", through: ".").hasSuffix("one."))
        #expect(try second.get("/", through: ".").hasPrefix("HTTP/1.1 503 Service Unavailable"))
        let third = try first.get("/more", through: "/more")
        #expect(third.hasPrefix("HTTP/1.1 500"))
        #expect(third.hasSuffix("the script has 2 replies and ran out of them at GET /more"))
    }

    @Test("a request that broke off uses no reply of a script")
    func scriptAfterDefect() async throws {
        let server = try LoopbackServer.test(script: [.ok("one.")])
        let broken = try RawClient(server, sending: "GET /")
        broken.close()
        try await server.waitForRequests(1)
        #expect(try RawClient(server).get("/", through: ".").hasSuffix("one."))
    }

    @Test("steps can be added before and after a reply")
    func composition() throws {
        let reply = ServerReply.ok("x").after(.send(Data("HTTP/1.1 103 Early Hints\r\n\r\n".utf8))).followed(
            by: .send(Data("!".utf8)))
        let answer = try exchange(reply)
        #expect(answer.hasPrefix("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n"))
        #expect(answer.hasSuffix("x!"))
    }

    @Test("a gate stays open, for any number of replies")
    func openGate() async throws {
        let gate = try Gate()
        for _ in 0..<2 { gate.open() }
        try await gate.waitUntilOpen(timeout: .zero)
        let server = try LoopbackServer.test { _ in ServerReply.ok("x").after(.waitFor(gate), .waitFor(gate)) }
        let client = try RawClient(server)
        for _ in 0..<3 { #expect(try client.get("/", through: "x").hasSuffix("x")) }
    }

    @Test("a reply larger than every buffer arrives whole")
    func large() throws {
        let body = Data(repeating: 7, count: 20 << 20)
        let server = try LoopbackServer.test { _ in .ok(body) }
        let client = try RawClient(server, sending: "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(try client.receiveToEnd().suffix(body.count) == body)
    }

    private func bomb(decodedBytes: Int) throws -> Data {
        let server = try LoopbackServer.test { _ in .gzipBomb(decodedBytes: decodedBytes) }
        let client = try RawClient(server, sending: "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        let answer = try client.receiveToEnd()
        let headEnd = try #require(answer.range(of: Data("\r\n\r\n".utf8)))
        #expect(String(decoding: answer[..<headEnd.lowerBound], as: UTF8.self).contains("Content-Encoding: gzip"))
        return answer[headEnd.upperBound...]
    }

    /// The system's gzip also checks the checksum and the length.
    @Test(
        "a gzip bomb decodes to exactly that many zeros", arguments: [1, 2, 258, 259, 260, 516, 517, 1000, 65_536, 1_000_003])
    func bombs(count: Int) async throws {
        let file = temporaryFile("bomb.gz")
        try bomb(decodedBytes: count).write(to: file)
        let outcome = try await Program.run(["gzip", "-dc", file.path])
        #expect(outcome.status == 0 && outcome.output == Data(count: count))
    }

    @Test("a gzip bomb is a thousandth of what it decodes to")
    func smallBomb() throws {
        let size = try bomb(decodedBytes: 1 << 30).count
        #expect(size < (1 << 20) + (64 << 10))
    }
}
