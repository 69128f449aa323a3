import TestSupport

@Suite("The loopback server reads requests", .closing, .timeLimit(.minutes(1)))
struct ReadingRequestsTests {
    @Test("method, target and headers are recorded as sent, in order and with repetitions")
    func head() throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let client = try RawClient(server)
        let head = "PATCH /a%20b?q=%C3%A7 HTTP/1.1\r\nHost: test\r\nX-One: 1\r\nx-two:  2 \r\nX-ONE: 3\r\n\r\n"
        try client.send(head)
        _ = try client.receive(through: "\r\n\r\n")

        let request = try #require(server.requests.first)
        #expect(request.method == "PATCH" && request.target == "/a%20b?q=%C3%A7" && request.path == "/a%20b")
        #expect(request.headers.map(\.name) == ["Host", "X-One", "x-two", "X-ONE"])
        #expect(request.headers["x-one"] == "1")
        #expect(request.headers.all("X-one") == ["1", "3"])
        #expect(request.headers["X-Two"] == "2" && request.headers["X-Three"] == nil)
        #expect(request.rawHead == Data(head.utf8) && request.error == nil)
    }

    @Test("a body is read by its Content-Length, from any pieces")
    func contentLength() throws {
        let server = try LoopbackServer.test { .ok("\($0.body.count) bytes") }
        let client = try RawClient(server)
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        try client.send("POST /upload HTTP/1.1\r\nContent-Length: 300000\r\n")
        try client.send("\r\n")
        try client.send(body.prefix(1))
        try client.send(body.dropFirst(1))
        #expect(try client.receive(through: "bytes").hasSuffix("300000 bytes"))
        #expect(server.requests.first?.body == body)
    }

    @Test("a chunked body is joined; extensions and trailers are skipped")
    func chunkedBody() throws {
        let server = try LoopbackServer.test { .ok($0.bodyText + ".") }
        let client = try RawClient(server)
        let chunks = ["5;note=\"x\"\r\nhello\r\n", "A\r\n, chunked \r\n", "5\r\nworld\r\n", "0\r\nX-Sum: 1\r\n\r\n"]
        try client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks.joined())
        #expect(try client.receive(through: ".").hasSuffix("hello, chunked world."))
    }

    @Test(
        "a body beyond the limit is read to its end, counted and dropped",
        arguments: [
            "Content-Length: 11\r\n\r\nhello world", "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n9\r\nllo world\r\n0\r\n\r\n",
        ])
    func bodyLimit(rest: String) throws {
        let server = try LoopbackServer.test(bodyLimit: 5) { .ok("<\($0.bodyText) of \($0.bodyLength)>") }
        let client = try RawClient(server, sending: "POST / HTTP/1.1\r\n" + rest)
        #expect(try client.receive(through: ">").hasSuffix("<hello of 11>"))
        #expect(try client.get("/", through: ">").hasSuffix("< of 0>"))
    }

    @Test("Expect: 100-continue is answered before the body arrives")
    func expectContinue() throws {
        let server = try LoopbackServer.test { .ok($0.bodyText + ".") }
        let client = try RawClient(server, sending: "PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
        #expect(try client.receive(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        try client.send("body")
        #expect(try client.receive(through: ".").hasSuffix("\r\n\r\nbody."))
        #expect(server.requests.count == 1)
    }

    @Test("requests on one connection are counted as exchanges, also when they are pipelined")
    func pipelining() throws {
        let server = try LoopbackServer.test { .ok("<\($0.connection).\($0.exchange)\($0.target)>") }
        let client = try RawClient(server)
        #expect(try client.get("/a", through: ">").hasSuffix("<0.0/a>"))
        try client.send("POST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyzGET /c HTTP/1.1\r\n\r\n")
        #expect(try client.receive(through: "/c>").contains("<0.1/b>"))
        let other = try RawClient(server)
        #expect(try other.get("/d", through: ">").hasSuffix("<1.0/d>"))
        #expect(server.requests.map(\.target) == ["/a", "/b", "/c", "/d"])
        #expect(server.connectionsAccepted == 2)
    }

    @Test(
        "the connection is closed after a reply to a client that asked for it",
        arguments: ["GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"])
    func askedToClose(request: String) throws {
        let server = try LoopbackServer.test { _ in .ok("bye") }
        let client = try RawClient(server, sending: request)
        #expect(try String(decoding: client.receiveToEnd(), as: UTF8.self).hasSuffix("bye"))
    }

    @Test(
        "a request that breaks off is listed with the reason",
        arguments: [
            ("GET / HT", "ended inside the head, after 8 bytes"),
            ("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc", "ended inside the body, after 3 of 9 bytes"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "ended before a chunk size"),
        ])
    func brokenOff(bytes: String, reason: String) async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let client = try RawClient(server, sending: bytes)
        client.close()
        let request = try #require(try await server.waitForRequests(1).first)
        #expect(request.error == reason)
        #expect(request.method.isEmpty ? request.rawHead == Data(bytes.utf8) : request.bodyText == "abc")
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test(
        "a malformed request is answered with a 400 that says why, and the connection is closed",
        arguments: [
            ("HELLO\r\n\r\n", "expected a request line"),
            ("GET /a b HTTP/1.1\r\n\r\n", "expected a request line"),
            ("GET / HTTP/2\r\n\r\n", "expected a request line"),
            ("GET / HTTP/1.1\r\nNo colon\r\n\r\n", "expected a header line"),
            ("GET / HTTP/1.1\r\nA: b\nInjected: c\r\n\r\n", "a line break or a NUL"),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "expected one Content-Length"),
            ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "expected one Content-Length"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n", "expected Transfer-Encoding"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "expected a chunk size"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n", "a chunk is longer"),
        ])
    func malformed(bytes: String, reason: String) throws {
        let server = try LoopbackServer.test { _ in .ok() }
        let client = try RawClient(server, sending: bytes)
        let answer = try String(decoding: client.receiveToEnd(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n") && answer.contains(reason))
        #expect(server.requests.first?.error?.contains(reason) == true)
    }
}
