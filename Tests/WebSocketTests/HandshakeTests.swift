import TestSupport

@testable import CoreAPIWebSocket

@Suite("The handshake", .closing, .timeLimit(.minutes(2)))
struct HandshakeTests {
    @Test("a key is answered as in RFC 6455 §1.3")
    func accept() {
        #expect(Handshake.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(Data(base64Encoded: Handshake.key())?.count == 16)
        #expect(Handshake.key() != Handshake.key())
    }

    @Test("the request has the fields of RFC 6455 §4.1, and those of the channel")
    func request() async throws {
        let server = try LoopbackServer.test { .webSocket($0, .init(subprotocols: "b", "a"), serve: echo) }
        let socket = try await Channel.test(server) { $0.modifiers = [Header("X-Api-Key", "k-1")] }.dispatcher.webSocket(
            .get("chat", query: ["room": "7"], headers: ["Cookie": "a=1"]), .init(subprotocols: "a", "c"))
        let request = try #require(server.requests.first)
        #expect(request.method == "GET" && request.target == "/chat?room=7")
        #expect(request.headers["Host"] == "127.0.0.1:\(server.port)")
        #expect(request.headers["Upgrade"] == "websocket" && request.headers["Connection"] == "Upgrade")
        #expect(request.headers["Sec-WebSocket-Version"] == "13")
        #expect(request.headers["Sec-WebSocket-Protocol"] == "a, c")
        #expect(request.headers["Sec-WebSocket-Extensions"] == "permessage-deflate; client_max_window_bits")
        #expect(request.headers["X-Api-Key"] == "k-1" && request.headers["Cookie"] == "a=1")
        #expect(request.headers["User-Agent"] == "NetworkerKit/0.1.0")
        #expect(socket.subprotocol == "a" && socket.head.status.code == 101)
    }

    static let wrong: [(name: String, change: @Sendable (inout [(name: String, value: String)]) -> Void)] = [
        ("another key's proof", { $0[2].value = Handshake.accept("other") }), ("no proof", { $0.remove(at: 2) }),
        ("another protocol", { $0[0].value = "h2c" }), ("no Upgrade", { $0.remove(at: 0) }),
        ("no Connection", { $0.remove(at: 1) }), ("Connection: close", { $0[1].value = "close" }),
        ("a subprotocol that was not offered", { $0.append(("Sec-WebSocket-Protocol", "chat")) }),
        ("an extension that was not offered", { $0.append(("Sec-WebSocket-Extensions", "x-mux")) }),
        ("an unknown parameter", { $0[3].value = "permessage-deflate; level=9" }),
        ("a window of 7 bits", { $0[3].value = "permessage-deflate; server_max_window_bits=7" }),
        ("a window of 16 bits", { $0[3].value = "permessage-deflate; client_max_window_bits=16" }),
        ("a window without a size", { $0[3].value = "permessage-deflate; client_max_window_bits" }),
        ("a repeated parameter", { $0[3].value = "permessage-deflate; server_no_context_takeover; server_no_context_takeover" }),
        ("a value where none belongs", { $0[3].value = "permessage-deflate; server_no_context_takeover=9" }),
        ("compression twice", { $0[3].value = "permessage-deflate, permessage-deflate" }),
    ]

    @Test("a wrong response is rejected and the connection closed", arguments: wrong.indices)
    func wrongAnswers(index: Int) async throws {
        let server = try LoopbackServer.test { .switching($0, changing: Self.wrong[index].change, then: [.stall]) }
        let error = await failure { try await chat(server) }
        #expect(error?.transport?.label == "malformedResponse", "\(Self.wrong[index].name)")
        #expect("\(String(describing: error))".contains("RFC 6455 §4.1"))
        #expect(error?.context.head?.status.code == 101)
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test(
        "the handshake accepts compression with every valid parameter",
        arguments: [
            "permessage-deflate; server_no_context_takeover", "permessage-deflate; client_no_context_takeover",
            "permessage-deflate; client_max_window_bits=9", "permessage-deflate; client_max_window_bits=8",
            "permessage-deflate; server_max_window_bits=\"10\"",
            " Permessage-Deflate ;server_max_window_bits=15 ; client_max_window_bits=12",
        ])
    func parameters(text: String) throws {
        let fields: HTTPFields = [
            .upgrade: "WebSocket", .connection: "keep-alive, upgrade", .secWebSocketAccept: Handshake.accept("k"),
            .secWebSocketExtensions: text,
        ]
        #expect(try Handshake.check(fields, key: "k", .init()).deflate != nil)
        #expect(throws: TransportError.self) { try Handshake.check(fields, key: "k", .with { $0.compression = nil }) }
    }

    @Test("a rejection is a response with status, head and body, like any", arguments: [200, 204, 400, 403, 404, 426, 500])
    func rejections(status: Int) async throws {
        let server = try LoopbackServer.test { _ in .json(#"{"reason":"closed"}"#, status: status) }
        let error = await failure { try await chat(server) }
        #expect(error?.label == "verification.unacceptableStatus.\(status)" && error?.context.head?.status.code == status)
        if status != 204 { #expect(error?.context.body == Data(#"{"reason":"closed"}"#.utf8)) }
    }

    @Test("the body of a rejection is read by its length, in chunks and to the end", arguments: 0..<3)
    func bodies(form: Int) async throws {
        let server = try LoopbackServer.test { _ in
            switch form {
            case 0: .status(403, body: Data("gone away".utf8))
            case 1:
                [
                    .sendHead(status: 403, headers: ["Transfer-Encoding": "chunked"]), .sendChunk(Data("gone ".utf8)),
                    .sendChunk(Data("away".utf8)), .endChunks(),
                ]
            default: [.sendHead(status: 403), .sendBody(Data("gone away".utf8)), .closeConnection]
            }
        }
        let error = await failure { try await chat(server) }
        #expect(error?.context.body == Data("gone away".utf8))
    }

    @Test("a rejection in chunks that is cut says how much of it came", arguments: ["", "4", "5\r\n away\r\n", "4\r\nxx"])
    func cutChunks(rest: String) async throws {
        let server = try LoopbackServer.test { _ in
            [
                .sendHead(status: 403, headers: ["Transfer-Encoding": "chunked"]), .sendChunk(Data("gone ".utf8)),
                .send(Data(rest.utf8)), .closeConnection,
            ]
        }
        let error = await failure { try await chat(server) }
        #expect(error?.context.head?.status.code == 403)
        let received: Int64 = rest.contains("away") ? 10 : rest.contains("x") ? 7 : 5
        #expect(error?.transport == .truncated(received: received, expected: nil))
        #expect(error?.context.body.count == Int(received) && error?.context.body.starts(with: Data("gone ".utf8)) == true)
    }

    @Test("a rejection that is cut has what came of its body, by its length, to the end, beyond a limit, and by a clock")
    func cutBodies() async throws {
        let cases: [(headers: HeaderLines, text: String, end: ServerReply.Step, label: String)] = [
            (["Content-Length": "99"], "gone", .closeConnection, "truncated"), ([:], "gone", .stall, "timedOut.total"),
            ([:], "gone away", .closeConnection, "responseTooLarge"),
        ]
        for (headers, text, end, label) in cases {
            let server = try LoopbackServer.test { _ in
                [.sendHead(status: 403, headers: headers), .sendBody(Data(text.utf8)), end]
            }
            let channel = Channel.test(server) { $0.limits.responseBodySize = label == "responseTooLarge" ? 4 : 1 << 20 }
            let endpoint = TestEndpoint(modifiers: [Timeout(.seconds(2))])
            let error = await failure { try await channel.dispatcher.webSocket(endpoint) }
            #expect(error?.transport?.label == label && error?.context.body == Data("gone".utf8), "\(String(describing: error))")
        }
    }

    @Test("cookies and fields keep bytes that are not UTF-8, in both directions")
    func bytesOfFields() async throws {
        let server = try LoopbackServer.test { _ in
            let cookie = Data("HTTP/1.1 403 No\r\nContent-Length: 0\r\nX-Name: \t".utf8) + [0xE9]
            return [.send(cookie + Data(" \r\nSet-Cookie: a=".utf8) + [0xE9] + Data("\r\n\r\n".utf8))]
        }
        let jar = CookieJar()
        let channel = Channel.test(server) { $0.cookies = jar }
        for _ in 0..<2 {
            let error = await failure { try await channel.dispatcher.webSocket(.get("chat")) }
            let field = try #require(HTTPField.Name("X-Name").flatMap { error?.context.head?.headers[fields: $0].first })
            #expect(field.withUnsafeBytesOfValue { $0.elementsEqual([0xE9]) })
        }
        #expect(jar.cookies.map { $0.valueBytes.revealed } == [[0xE9]])
        #expect(server.requests.last?.rawHead.firstRange(of: Data("Cookie: a=".utf8) + [0xE9, 0x0D]) != nil)
    }

    static let malformed: [ServerReply] =
        [
            "hello", "HTTP/2 101 x", "HTTP/1.1 1x1 x", "HTTP/1.1 099 x", "HTTP/1.1 101 Switching\r\nbad line",
            "HTTP/1.1 400 Bad\r\nContent-Length: x", "HTTP/1.1 400 Bad\r\nContent-Length: 99999999999999999999",
            "HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0",
            "HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n0",
            "HTTP/1.1 400 Bad\r\nContent-Length: 10\r\n\r\nhel",
        ].map { ServerReply([.send(Data("\($0)\r\n\r\n".utf8)), .closeConnection]) } + [
            [.sendHalfHead, .closeConnection], .closeWithoutReply, .resetBeforeHead,
            [.sendHead(status: 400, headers: ["X": String(repeating: "x", count: 100_000)])],
            [.sendHead(status: 500), .sendEndlessly(Data(repeating: 0x61, count: 100_000))],
        ]

    @Test("a malformed response is a typed error", arguments: malformed.indices)
    func malformedAnswers(index: Int) async throws {
        let server = try LoopbackServer.test { _ in Self.malformed[index] }
        let channel = Channel.test(server) { $0.limits.responseBodySize = 1 << 20 }
        let error = await failure { try await channel.dispatcher.webSocket(.get("chat")) }
        #expect(error?.transport != nil, "\(String(describing: error))")
        try await server.waitForOpenConnections(atMost: 0)
    }

    /// The fields of an answer that proves a request's key.
    private static func proof(_ request: ReceivedRequest) -> String {
        (Acceptance(.init()) { request.headers.all($0) }?.fields ?? []).map { "\($0.name): \($0.value)\r\n" }.joined()
    }

    @Test(
        "a response that proves the key is malformed in another version, or with a byte that no field may have",
        arguments: [
            ("HTTP/1.0 101 X", ""), ("HTTP/1.9 101 X", ""), ("HTTP/1.1 101 X\0Y", ""), ("HTTP/1.1 101 X", "X: a\0b\r\n"),
            ("HTTP/1.1 101 X", "X: a\rb\r\n"),
        ])
    func provesKey(line: String, field: String) async throws {
        let server = try LoopbackServer.test { [.send(Data("\(line)\r\n\(Self.proof($0))\(field)\r\n".utf8)), .stall] }
        let error = await failure { try await chat(server) }
        #expect(error?.transport?.label == "malformedResponse", "\(String(describing: error))")
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("an interim answer before the 101 is skipped, and a frame right after the head is read")
    func earlyFrame() async throws {
        let hint = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        let server = try LoopbackServer.test {
            let head = "\(hint)HTTP/1.1 101 Switching Protocols\r\n\(Self.proof($0))\r\n"
            return [.send(Data(head.utf8) + frame(0x81, "first".utf8).data), .stall]
        }
        #expect(try await chat(server).first { _ in true } == .text("first"))
    }

    @Test("a redirect is followed, to ws: too, with a new key and a new proof", arguments: ["/other", "ws"])
    func redirects(to location: String) async throws {
        let server = try LoopbackServer.test { request in
            guard request.path == "/chat" else { return .webSocket(request, serve: echo) }
            return .redirect(to: location == "ws" ? "ws://\(request.headers["Host"] ?? "")/other" : location)
        }
        let socket = try await chat(server)
        try await socket.send(.text("hello"))
        #expect(try await socket.first { _ in true } == .text("hello"))
        #expect(Set(server.requests.map { $0.headers["Sec-WebSocket-Key"] }).count == 2)
    }

    @Test(
        "a redirect with two addresses is rejected, and one with the same address twice is followed", arguments: [true, false])
    func severalAddresses(isSame: Bool) async throws {
        let server = try LoopbackServer.test { request in
            guard request.path == "/chat" else { return .webSocket(request, serve: echo) }
            return .status(302, headers: ["Location": "/other", "Location": isSame ? "/other" : "/third"])
        }
        let error = await failure { await (try chat(server)).close() }
        #expect(error?.transport?.label == (isSame ? nil : "redirectRejected"), "\(String(describing: error))")
        #expect(server.requests.map(\.path) == (isSame ? ["/chat", "/other"] : ["/chat"]))
    }

    @Test("a redirect is followed whatever its body is", arguments: [true, false])
    func redirectBody(isEndless: Bool) async throws {
        let server = try LoopbackServer.test { request in
            guard request.path == "/chat" else { return .webSocket(request, serve: echo) }
            let head = ServerReply.Step.sendHead(status: 302, headers: ["Location": "/other"])
            return isEndless ? [head, .sendEndlessly(Data(count: 100_000))] : [head, .stall]
        }
        try await chat(server).close()
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test("a rejected token is refreshed once, and the handshake repeated")
    func refresh() async throws {
        let server = try LoopbackServer.test { request in
            guard request.headers["Authorization"] == "Bearer new" else { return .status(401) }
            return .webSocket(request, serve: echo)
        }
        let refreshes = Shared(0)
        let refresh = BearerAuthentication(token: "old") { _ in
            _ = refreshes.next()
            return "new"
        }
        let socket = try await Channel.test(server) { $0.attemptMiddleware = [refresh] }.dispatcher.webSocket(.get("chat"))
        try await socket.send(.text("hello"))
        #expect(try await socket.first { _ in true } == .text("hello"))
        #expect(refreshes.current == 1)
        #expect(server.requests.count == 2)
    }

    @Test("listeners and middleware see the handshake like any call")
    func listeners() async throws {
        let server = try LoopbackServer.test { .webSocket($0, serve: echo) }
        let words = Shared<[String]>([])
        let listener = FunctionLogger { event in
            switch event {
            case .started: words.change { $0.append("started") }
            case .connected: words.change { $0.append("connected") }
            case .head(_, let head): words.change { $0.append("head \(head.status.code)") }
            case .finished: words.change { $0.append("finished") }
            default: break
            }
        }
        let socket = try await Channel.test(server) { $0.listeners = [listener] }.dispatcher.webSocket(.get("chat"))
        #expect(words.current == ["started", "connected", "head 101", "finished"])
        await socket.close()
    }

    @Test("a request that cannot open a WebSocket is rejected before it is sent")
    func unsound() async throws {
        let server = try LoopbackServer.test { .webSocket($0, serve: echo) }
        let channel = Channel.test(server)
        for method in [HTTPMethod.post, .put] {
            let error = await failure { try await channel.dispatcher.webSocket(TypedEndpoint(method, "chat")) }
            #expect(error?.label == "transport.unsupported", "\(method)")
        }
        for names in [["a b"], [""], ["a", "a"], ["a,b"]] {
            let error = await failure {
                try await channel.dispatcher.webSocket(.get("chat"), .with { $0.subprotocols = names })
            }
            #expect(error?.label == "request.malformedHeader", "\(names)")
        }
        #expect(server.requests.isEmpty)
    }

    @Test("a transport that opens no connections fails with `unsupported`")
    func fixtures() async throws {
        let channel = Channel.test(FixtureTransport([Fixture(.get, "chat", body: "{}")]))
        let error = await failure { try await channel.dispatcher.webSocket(.get("chat")) }
        #expect(error?.label == "transport.unsupported" && "\(String(describing: error))".contains("FixtureTransport"))
    }

    @Test("the call's clocks end a handshake", arguments: [true, false])
    func clocks(isTotal: Bool) async throws {
        let server = try LoopbackServer.test { _ in .stallBeforeHead }
        let channel = Channel.test(server)
        let timeout = isTotal ? Timeout(.milliseconds(200)) : Timeout(idle: .milliseconds(200))
        let error = await failure { try await channel.dispatcher.webSocket(.get("chat", modifiers: [timeout])) }
        #expect(error?.label == (isTotal ? "transport.timedOut.total" : "transport.timedOut.idle"))
        try await server.waitForOpenConnections(atMost: 0)
    }

    /// Its first bytes arrive when it is closed.
    private final class LateConnection: RawConnection, ConnectingTransport {
        let metrics: ExchangeMetrics? = nil
        private let (closed, end) = AsyncStream.makeStream(of: Void.self)
        private let unread = Mutex<Data?>(Data("HTTP/1.1 ".utf8))

        func send(_ attempt: Attempt) async -> RawResponse { attempt.failed(CancellationError()) }
        func connect(_ attempt: Attempt) async -> any RawConnection { self }
        func write(_ data: Data) {}
        func close() { end.finish() }

        func read() async throws -> Data? {
            for await _ in closed {}
            guard let data = unread.withLock({ $0.take() }) else { throw CancellationError() }
            return data
        }
    }

    @Test("a clock that ends the connection between two of its bytes is the reason, and not a cancellation")
    func lateClock() async throws {
        let endpoint = TestEndpoint(modifiers: [Timeout(idle: .milliseconds(50))])
        let error = await failure { try await Channel.test(LateConnection()).dispatcher.webSocket(endpoint) }
        #expect(error?.transport == .timedOut(.idle, after: .milliseconds(50)), "\(String(describing: error))")
    }

    @Test("pins and authorities are the channel's")
    func trust() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS()) { .webSocket($0, serve: echo) }
        var channel = Channel.test(server) { $0.environment.serverTrustManager = .system }
        #expect(await failure { try await channel.dispatcher.webSocket(.get("chat")) }?.label == "transport.tls")
        channel.environment.serverTrustManager = ServerTrustManager(
            authorities: .pem(server.tls?.authorityPEM ?? ""),
            pins: ["localhost": ["sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]])
        #expect(await failure { try await channel.dispatcher.webSocket(.get("chat")) }?.label == "transport.pinMismatch")
        #expect(server.requests.isEmpty)
    }

    @Test("no connection is opened to an address that the channel rejects")
    func rejectedAddress() async throws {
        let server = try LoopbackServer.test { .webSocket($0, serve: echo) }
        let channel = Channel.test(server) { $0.limits.rejectedAddresses = .loopback }
        #expect(await failure { try await channel.dispatcher.webSocket(.get("chat")) }?.label == "transport.addressRejected")
        #expect(server.connectionsAccepted == 0)
    }
}
