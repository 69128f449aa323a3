import Synchronization
import TestSupport

@testable import CoreAPICore

@Suite("A connection with unrequested bytes", .closing)
struct SpoiltConnectionTests {
    private static let extra = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"

    /// A server whose first connection has brought unrequested bytes after a response.
    private func server(
        spoiltFor requests: Requests, _ method: HTTPRequest.Method, _ reply: @escaping @Sendable (ReceivedRequest) -> ServerReply
    ) async throws -> LoopbackServer {
        let (gate, sent) = (try Gate(), try Gate())
        let server = try LoopbackServer.start { request in
            guard request.connection == 0 else { return reply(request) }
            return ServerReply.ok("first").followed(by: .waitFor(gate), .send(Data(Self.extra.utf8)), .open(sent))
        }
        #expect(try await requests.send(method, server.url).text == "first")
        gate.open()
        try await sent.waitUntilOpen(timeout: .seconds(5))
        return server
    }

    @Test("is not reused, for any method", arguments: [HTTPRequest.Method.get, .post])
    func unsolicited(method: HTTPRequest.Method) async throws {
        let requests = Requests(closing(CurlTransport(limits: .test(perHost: 1))))
        let server = try await server(spoiltFor: requests, method) { _ in .ok("right") }
        for _ in 0..<5 {
            let response = try await requests.send(method, server.url, body: method == .post ? .bytes(Data("x".utf8)) : .none)
            #expect(response.text == "right", "\(response.result)")
        }
        // Each request arrived once, and the connection with the extra bytes is closed.
        #expect(server.requests.count == 6 && server.connectionsAccepted == 2)
        try await server.waitForOpenConnections(atMost: 1)
    }

    @Test("costs a body that can be read once nothing, because nothing of it was sent")
    func readOnce() async throws {
        let requests = Requests()
        let server = try await server(spoiltFor: requests, .get) { .ok($0.body) }
        let wasRead = Shared(false)
        let source = ChunkSource(isReplayable: false) {
            guard !wasRead.exchange(true) else { throw BodyError.readTwice }
            let chunks = Mutex([Data("once".utf8)])
            return { chunks.withLock { $0.popLast() } }
        }
        let response = try await requests.send(.put, server.url, body: .stream(Body.Stream(length: nil, source)))
        #expect(response.text == "once", "\(response.result)")
        #expect(server.requests.count == 2 && server.connectionsAccepted == 2)
    }

    /// With TLS the bytes are in the library's buffer, not on the socket, because one record contains them and the response.
    @Test(
        "is not reused if the bytes arrived together with the response", arguments: [true, false],
        [HTTPRequest.Method.get, .post])
    func appended(isSecure: Bool, method: HTTPRequest.Method) async throws {
        let server = try LoopbackServer.start(tls: isSecure ? ServerTLS(protocols: [.http1]) : nil) { request in
            .ok(Data("right\(request.connection == 0 ? Self.extra : "")".utf8), headers: ["Content-Length": "5"])
        }
        let requests = Requests(to: server)
        for _ in 0..<4 {
            let response = try await requests.send(method, server.url, body: method == .post ? .bytes(Data("x".utf8)) : .none)
            #expect(response.text == "right", "\(response.result)")
        }
        #expect(server.requests.map(\.connection) == [0, 1, 1, 1])
    }

    /// RFC 9112 §6.1 and §6.3: another reader may find another end of the body.
    @Test(
        "is reused after a response, unless its framing is faulty",
        arguments: [
            ("HTTP/1.1", "Transfer-Encoding: chunked\r\nContent-Length: 5", 2),
            ("HTTP/1.1", "content-length: 5\r\ntransfer-encoding: chunked", 2),
            ("HTTP/1.0", "Transfer-Encoding: chunked\r\nConnection: keep-alive", 2),
            ("HTTP/1.1", "Transfer-Encoding: chunked\r\nContent-Digest: sha-256=:AA==:\r\nContent-Labels: a", 1),
            ("HTTP/1.1", "Total-Items-Count: 12\r\nTransaction-Token: x\r\nTransfer-Encoding: chunked", 1),
            ("HTTP/1.1", "Transfer-Encoding: chunked", 1),
            ("HTTP/1.1", "Content-Length: 5\r\nTotal-Items-Count: 12\r\nTransaction-Token: x\r\nContent-Labels: a", 1),
        ])
    func faultyFraming(version: String, fields: String, connections: Int) async throws {
        let body = fields.contains("chunked") ? "5\r\nhello\r\n0\r\n\r\n" : "hello"
        for tls in [nil, try ServerTLS(protocols: [.http1])] {
            let server = try LoopbackServer.start(tls: tls) { _ in
                [.send(Data("\(version) 200 OK\r\n\(fields)\r\n\r\n\(body)".utf8))]
            }
            let requests = Requests(to: server)
            for _ in 0..<2 { #expect(try await requests.send(.get, server.url).text == "hello") }
            #expect(server.connectionsAccepted == connections)
        }
    }

    /// libcurl would take one of the lengths, or read on, and keep the connection (RFC 9112 §6.3).
    @Test(
        "is not reused after a response without a valid length, which fails at its head",
        arguments: [
            "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 3\r\nContent-Length: 5", "Content-Length: 5, 6",
            "Content-Length: +5", "Content-Length: 5 x", "Content-Length:", "Content-Length:9999999999999999999",
            "content-length: 99999999999999999999", "Content-Length: 5\r\n 0", "Content-Length : 5",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked, chunked",
            "Transfer-Encoding: chunked\r\nContent-Length : 5", "Transfer-Encoding : chunked\r\nContent-Length: 5",
        ])
    func invalidLength(fields: String) async throws {
        let never = try Gate()
        let server = try LoopbackServer.start { request in
            request.connection > 0
                ? .ok("right") : [.send(Data("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhello".utf8)), .waitFor(never)]
        }
        let requests = Requests()
        let first = try await requests.send(.get, server.url, timeout: Timeout(.seconds(5)))
        #expect(first.transportError?.label == "malformedResponse", "\(first.result)")
        #expect(try await requests.send(.get, server.url).text == "right")
        #expect(server.connectionsAccepted == 2)
        never.open()
    }

    @Test("over HTTP/2 is not reused either after the server closed it without GOAWAY, and is detected once")
    func closedHTTP2() async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2]), faults: [Fault(.afterResponse, .close)]) {
            request in
            .ok("\(request.connection)")
        }
        let requests = Requests(to: server)
        var answers: [String] = []
        for _ in 0..<4 {
            answers.append(try await requests.send(.post, server.url, body: .bytes(Data("x".utf8))).text)
            if answers.count == 1 { try await server.waitForOpenConnections(atMost: 0) }
        }
        #expect(answers == ["0", "1", "1", "1"])
        #expect(server.connectionsAccepted == 2)
    }

    @Test("is not reused after a limit or a timeout stopped one response, whatever bytes follow", arguments: [true, false])
    func stopped(byClock: Bool) async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { request in
            if request.connection > 0 { return .ok("fresh") }
            return byClock ? .stallBeforeHead : .ok(String(repeating: "x", count: 100_000))
        }
        var requests = Requests(to: server)
        requests.limits.responseBodySize = 1_000
        let clock = Timeout(idle: byClock ? .milliseconds(200) : .seconds(20), total: .seconds(60))
        let first = try await requests.send(.get, server.url, timeout: clock)
        #expect(first.transportError?.label == (byClock ? "timedOut.idle" : "responseTooLarge"))
        try await server.waitForOpenConnections(atMost: 0)
        #expect(try await requests.send(.get, server.url).text == "fresh")
    }

    @Test("that stays silent gets no new stream, and is closed with its last one", arguments: [true, false])
    func silentStream(isDead: Bool) async throws {
        let (heard, gate, begun) = (try Gate(), try Gate(), try Gate())
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [.http2])) { request in
            switch request.target {
            case "/held": [.open(begun), .waitFor(heard), .sendHead(status: 200), .waitFor(gate), .sendBody(Data("0".utf8))]
            case "/silent": .stallBeforeHead
            default: .ok("\(request.connection)")
            }
        }
        let requests = Requests(to: server)
        let held = Task { [requests] in try await requests.send(.get, server.url + "/held").text }
        try await begun.waitUntilOpen(timeout: .seconds(5))
        let clock = Timeout(idle: .seconds(2), total: .seconds(20))
        let silent = Task { [requests] in try await requests.send(.get, server.url + "/silent", timeout: clock) }
        try await server.waitForRequests(2)
        if !isDead { heard.open() }
        #expect(try await silent.value.transportError?.label == "timedOut.idle")
        for _ in 0..<3 { #expect((try await requests.send(.get, server.url).text == "0") != isDead) }
        heard.open()
        gate.open()
        #expect(try await held.value == "0")
        if isDead {
            #expect(try await requests.send(.get, server.url).text != "0")
        } else {
            #expect(server.connectionsAccepted == 1)
        }
    }
}
