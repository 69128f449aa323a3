import TestSupport

@testable import CoreAPICore

@Suite("Redirects", .closing)
struct RedirectTests {
    let requests = Requests()

    @Test(
        "The method and the body after a redirect",
        arguments: [
            (301, "POST", "GET", ""), (302, "POST", "GET", ""), (303, "POST", "GET", ""), (307, "POST", "POST", "order"),
            (308, "POST", "POST", "order"), (302, "PUT", "PUT", "order"), (303, "PUT", "GET", ""), (307, "PUT", "PUT", "order"),
            (302, "DELETE", "DELETE", "order"), (301, "DELETE", "DELETE", "order"), (301, "PATCH", "PATCH", "order"),
            (302, "OPTIONS", "OPTIONS", "order"), (302, "QUERY", "QUERY", "order"), (301, "PURGE", "PURGE", "order"),
            (300, "PUT", "PUT", "order"), (303, "DELETE", "GET", ""), (307, "DELETE", "DELETE", "order"),
            (300, "POST", "POST", "order"), (301, "GET", "GET", "order"), (303, "PURGE", "GET", ""),
            (308, "PURGE", "PURGE", "order"),
        ])
    func methods(_ status: Int, _ method: String, _ expected: String, _ body: String) async throws {
        let server = try LoopbackServer.start { $0.path == "/a" ? .redirect(to: "b?x=1", status: status) : .ok("there") }
        let response = try await requests.send(
            #require(HTTPRequest.Method(rawValue: method)), server.url + "/a",
            headers: [.contentType: "text/plain", .contentLanguage: "cs", .expect: "100-continue"],
            body: .bytes(Data("order".utf8)))
        #expect(response.text == "there")
        let second = try #require(server.requests.last)
        #expect(second.method == expected && second.target == "/b?x=1" && second.bodyText == body)
        for name in ["content-type", "content-language", "expect"] {
            #expect((second.headers[name] != nil) == (body == "order"), "\(name)")
        }
        if body.isEmpty { #expect(second.headers["content-length"] == nil && second.headers["transfer-encoding"] == nil) }
    }

    @Test("An error names the address that answered, not the first one")
    func whereItFailed() async throws {
        let other = try LoopbackServer.start { request in
            switch request.path {
            case "/cut": .truncated(declared: 100, sent: Data("abc".utf8))
            case "/file": .redirect(to: "file:///etc/passwd", status: 302)
            default: .status(500)
            }
        }
        let server = try LoopbackServer.start { .redirect(to: other.url + $0.path, status: 302) }
        let manager = Channel.test(server.url, transport: requests.transport).manager
        for path in ["cut", "file", "broken"] {
            let error = try #require(await manager.response(for: TestEndpoint(path), as: .nothing).error)
            #expect(error.context.url == "\(other.url)/\(path)" && "\(error)".contains(other.url), "\(error)")
        }
    }

    @Test("An empty Location beside another does not count")
    func nowhereBeside() async throws {
        let server = try LoopbackServer.start { request in
            request.path == "/a"
                ? [.send(Data("HTTP/1.1 302 Found\r\nLocation:\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n".utf8))]
                : .ok("there")
        }
        #expect(try await requests.send(.get, server.url + "/a").text == "there")
    }

    @Test("A POST that is redirected to its own address is followed by one GET", arguments: ["/a", "#done", "?", "a"])
    func sameAddress(_ location: String) async throws {
        let server = try LoopbackServer.start { $0.method == "POST" ? .redirect(to: location, status: 302) : .ok("there") }
        #expect(try await requests.send(.post, server.url + "/a", body: .bytes(Data("x".utf8))).text == "there")
        #expect(server.requests.map(\.method) == ["POST", "GET"])
        #expect(server.requests.map(\.path) == ["/a", "/a"])
    }

    @Test("HEAD stays HEAD after a 303")
    func head() async throws {
        let server = try LoopbackServer.start { $0.path == "/a" ? .redirect(to: "/b", status: 303) : .ok("there") }
        #expect(try await requests.send(.head, server.url + "/a").status == 200)
        #expect(server.requests.map(\.method) == ["HEAD", "HEAD"])
    }

    @Test("A 307 opens a stream again and reads a file again")
    func bodiesAgain() async throws {
        let server = try LoopbackServer.start { $0.path == "/a" ? .redirect(to: "/b", status: 307) : .ok($0.bodyText) }
        let stream = Body.Stream {
            let pieces = Mutex(["two", "one "])
            return { _ in pieces.withLock { Data(($0.popLast() ?? "").utf8) } }
        }
        #expect(try await requests.send(.post, server.url + "/a", body: .stream(stream)).text == "one two")
        let file = temporaryFile("kit")
        try Data("from a file".utf8).write(to: file)
        #expect(try await requests.send(.post, server.url + "/a", body: .file(file)).text == "from a file")
    }

    @Test("Another port is another origin: it gets only harmless fields and those that the channel names")
    func secrets() async throws {
        let other = try LoopbackServer.start { _ in .ok("there") }
        let server = try LoopbackServer.start { $0.path == "/a" ? .redirect(to: "/b") : .redirect(to: other.url + "/c") }
        var requests = requests
        requests.redaction = Redaction(["X-Partner-Id"])
        let secrets = [
            "Authorization", "Cookie", "Cookie2", "Proxy-Authorization", "WWW-Authenticate", "X-Api-Key", "X-Partner-Id",
            "X-Session-Token", "X-Auth-Key", "X-Tenant", "Ocp-Apim-Subscription-Key", "X-Amz-Security-Token", "Forwarded",
            "Origin", "Referer", "traceparent",
        ]
        let harmless = ["Accept-Language", "User-Agent", "If-None-Match", "Cache-Control", "Prefer"]
        var headers = HTTPFields()
        for name in secrets { headers[try #require(HTTPField.Name(name))] = "secret" }
        headers[try #require(HTTPField.Name("Host"))] = "shop.example"
        headers[try #require(HTTPField.Name("X-Locale"))] = "tr_TR"
        for name in harmless { headers[try #require(HTTPField.Name(name))] = "harmless" }
        requests.fieldsForOtherOrigins = ["x-LOCALE", "host"]
        #expect(try await requests.send(.get, server.url + "/a", headers: headers).text == "there")
        let sameOrigin = server.requests[1]
        for name in secrets { #expect(sameOrigin.headers[name] == "secret", "\(name)") }
        #expect(sameOrigin.headers["host"] == "shop.example")
        let elsewhere = other.requests[0]
        for name in secrets { #expect(elsewhere.headers[name] == nil, "\(name)") }
        #expect(elsewhere.headers["host"] == "127.0.0.1:\(other.port)")
        #expect(elsewhere.headers["x-locale"] == "tr_TR")
        for name in harmless { #expect(elsewhere.headers[name] == "harmless", "\(name)") }
    }

    @Test("Fields that were removed do not return with the first origin")
    func backAgain() async throws {
        let home = Shared("")
        let other = try LoopbackServer.start { _ in .redirect(to: home.current + "/c") }
        let server = try LoopbackServer.start { $0.path == "/a" ? .redirect(to: other.url + "/b") : .ok("there") }
        home.change { $0 = server.url }
        #expect(try await requests.send(.get, server.url + "/a", headers: [.authorization: "Bearer t"]).text == "there")
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer t", nil])
    }

    @Test(
        "A host beyond ASCII in a Location is converted to its DNS form",
        arguments: ["http://münchen.invalid/é?é", "//straße.invalid/a"])
    func internationalHost(location: String) async throws {
        let server = try LoopbackServer.start { _ in .redirect(to: location) }
        let response = try await requests.send(.get, server.url)
        let expected = location.contains("straße") ? "xn--strae-oqa.invalid" : "xn--mnchen-3ya.invalid"
        #expect(response.transportError == .cannotResolveHost(expected))
    }

    @Test(
        "The bytes of a Location are data: those beyond ASCII and a backslash in the query are percent-encoded",
        arguments: [
            ([0xE9], "/caf%E9"), ([0xC3, 0xA9], "/caf%C3%A9"), (Array("?q=a\\b".utf8), "/caf?q=a%5Cb"),
            ([0x3F, 0xFF], "/caf?%FF"), (Array("#a\\b".utf8), "/caf"), (Array("#".utf8) + [0xE9], "/caf"),
        ] as [([UInt8], String)])
    func bytes(_ rest: [UInt8], target: String) async throws {
        let server = try LoopbackServer.start { request in
            guard request.path == "/a" else { return .ok("there") }
            return [.send(Data("HTTP/1.1 302 X\r\nContent-Length: 0\r\nLocation: /caf".utf8 + rest + "\r\n\r\n".utf8))]
        }
        #expect(try await requests.send(.get, server.url + "/a").text == "there")
        #expect(server.requests.last?.target == target)
    }

    @Test("A redirect cannot leave a simulated environment")
    func simulated() async throws {
        let production = try LoopbackServer.start { _ in .ok() }
        let sandbox = try LoopbackServer.start { $0.path == "/a" ? .redirect(to: "/b") : .redirect(to: production.url) }
        let channel = Channel.test(sandbox.url) { $0.environment.isSimulated = true }
        let response = await channel.manager.response(for: TestEndpoint("a"), as: .nothing)
        #expect(response.error?.label == "transport.redirectRejected" && production.requests.isEmpty)
    }

    @Test("A response to a Digest challenge is for one target and is removed even at the same origin")
    func digest() async throws {
        let server = try LoopbackServer.start { $0.path == "/a" ? .redirect(to: "/b") : .ok("there") }
        let digest = "digest username=\"u\", uri=\"/a\""
        for (value, expected) in [(digest, nil), ("Bearer t", "Bearer t")] {
            _ = try await requests.send(.get, server.url + "/a", headers: [.authorization: value])
            #expect(server.requests.suffix(2).map { $0.headers["authorization"] } == [value, expected])
        }
    }

    @Test("Redirects up to the limit are followed; one more is an error that keeps the last response")
    func limit() async throws {
        let server = try LoopbackServer.start { request in
            let step = Int(request.path.dropFirst()) ?? 0
            return step < 5 ? .redirect(to: "/\(step + 1)") : .ok("there")
        }
        var requests = requests
        requests.limits.redirects = 5
        let followed = try await requests.send(.get, server.url + "/0")
        #expect(followed.text == "there")
        #expect(followed.metrics?.redirects.map(\.path) == ["/1", "/2", "/3", "/4", "/5"])
        requests.limits.redirects = 4
        let rejected = try await requests.send(.get, server.url + "/0")
        #expect(rejected.transportError == .tooManyRedirects(limit: 4) && rejected.status == 302)
    }

    @Test(
        "A redirect that must not be followed is an error that keeps the redirect",
        arguments: [
            "ftp://127.0.0.1/x", "file:///etc/passwd", "javascript:alert(1)", "http://user:secret@127.0.0.1/", "http://[::1/",
            "http://", "/a b\u{1}",
        ])
    func rejected(_ location: String) async throws {
        let server = try LoopbackServer.start { _ in .status(302, body: Data("moved".utf8), headers: ["Location": location]) }
        let response = try await requests.send(.get, server.url)
        #expect(response.transportError?.label == "redirectRejected", "\(response.result)")
        #expect(response.status == 302 && response.text == "moved")
        #expect(server.requests.count == 1)
    }

    @Test("A redirect with two Locations is not followed")
    func location() async throws {
        let server = try LoopbackServer.start { _ in .status(302, headers: ["Location": "/x", "Location": "/y"]) }
        #expect(try await requests.send(.get, server.url).transportError?.label == "redirectRejected")
    }

    private static func moved(_ field: String, _ value: String, _ steps: [ServerReply.Step]) -> ServerReply {
        ServerReply([.sendHead(status: 302, headers: ["Location": "/there", field: value])] + steps)
    }

    /// Bodies of a redirect that would fail a response.
    private static let unneeded: [(name: String, reply: ServerReply)] = [
        ("stalled", moved("Content-Length", "10", [.sendBody(Data(count: 5)), .stall])),
        (
            "slow",
            moved("Content-Length", "60000", (0..<200).flatMap { _ in [.sendBody(Data("x".utf8)), .wait(.milliseconds(100))] })
        ),
        ("without an end", moved("Content-Length", "1000000000", [.sendBody(Data(count: 1_000_000)), .stall])),
        ("without a length", moved("Server", "x", [.sendBody(Data(count: 20_000_000)), .closeConnection])),
        ("cut", moved("Content-Length", "10", [.sendBody(Data(count: 5)), .closeConnection])),
        ("cut chunks", moved("Transfer-Encoding", "chunked", [.sendChunk(Data(count: 5)), .closeConnection])),
        ("too large", .status(307, body: Data(count: 20_000_000), headers: ["LOCATION": "/there"])),
        ("no gzip", .status(302, body: Data("moved".utf8), headers: ["Location": "/there", "Content-Encoding": "gzip"])),
        (
            "cut gzip",
            .status(302, body: Data([0x1F, 0x8B, 8, 0, 0, 0]), headers: ["Location": "/there", "Content-Encoding": "gzip"])
        ),
    ]

    @Test(
        "A redirect is followed even if its body would fail a response, and little of a large one is read",
        arguments: unneeded, [false, true])
    func unneededBody(_ body: (name: String, reply: ServerReply), secure: Bool) async throws {
        let server = try LoopbackServer.start(tls: secure ? ServerTLS() : nil) { $0.path == "/a" ? body.reply : .ok("there") }
        let requests = Requests(to: server)
        // The body's time ends with the idle time, too. The slow one would take 20 s.
        let timeout = Timeout(idle: .seconds(2), total: .seconds(15))
        for _ in 0..<2 {
            let response = try await requests.send(.get, server.url + "/a", timeout: timeout)
            #expect(response.error == nil && response.text == "there", "\(response.result)")
            #expect(try #require(response.metrics?.bytesReceived) < 2_000_000)
        }
    }

    @Test("From https to http only if the limits allow it, to any http only if the environment does")
    func insecure() throws {
        var requests = requests
        func decide(_ url: String, _ location: String) throws -> String {
            let head = ResponseHead(status: .found, headers: [.location: location])
            let attempt = Attempt(try requests.make(.get, url))
            do throws(TransportError) {
                return try Redirects.target(of: RawResponse(attempt, head: head), to: attempt)?.url.string ?? "deliver"
            } catch { return error.label }
        }
        #expect(try decide("https://a.example/x", "http://a.example/y") == "redirectRejected")
        #expect(try decide("http://a.example/x", "http://a.example/y") == "http://a.example/y")
        requests.limits.allowsRedirectsToInsecure = true
        #expect(try decide("https://a.example/x", "http://a.example/y") == "http://a.example/y")
        requests.allowsInsecure = false
        #expect(try decide("https://a.example/x", "http://a.example/y") == "redirectRejected")
        #expect(try decide("https://a.example/x", "//b.example/y") == "https://b.example/y")
    }
}
