import TestSupport

@testable import CoreAPICookies
@testable import CoreAPICore

@Suite("Cookies over the wire", .closing, .timeLimit(.minutes(1)))
struct CookiesOverTheWireTests {
    private func channel(_ server: LoopbackServer) -> Channel { .test(server) { $0.cookies = CookieJar() } }

    @Test(
        "go back byte for byte as they came, in Latin-1, UTF-8 or anything else",
        arguments: [
            Array("n=Jos".utf8) + [0xE9], [0xFE, 0x3D, 0xFF, 0x80], Array("ş=ğ".utf8), Array("n=\"a b, c".utf8) + [0xE9, 0x22],
            [0x6E, 0x3D, 0xC3, 0x28], Array("n=\u{FEFF}x".utf8), [0xE9],
        ])
    func anyBytes(pair: [UInt8]) async throws {
        let server = try LoopbackServer.start { request in
            guard request.path == "/login" else { return .ok() }
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: ".utf8) + pair
            return .garbage(Data(head + Array("; Path=/\r\nSet-Cookie: z=1; Path=/\r\n\r\n".utf8)))
        }
        let channel = channel(server)
        for path in ["login", "home"] { #expect(await channel.error(TestEndpoint(path)) == nil) }
        let head = try #require(server.requests.last?.rawHead)
        let line = Array("Cookie: ".utf8) + pair + Array("; z=1\r\n".utf8)
        #expect(head.range(of: Data(line)) != nil, "\(String(decoding: head, as: UTF8.self))")
    }

    @Test("of names that differ only in bytes are two, and both are sent")
    func equivalentNames() async throws {
        let server = try LoopbackServer.start { request in
            guard request.path == "/login" else { return .ok() }
            return .ok("in", headers: ["Set-Cookie": "e\u{301}=1; Path=/", "Set-Cookie": "\u{E9}=2; Path=/"])
        }
        let channel = channel(server)
        for path in ["login", "home"] { _ = await channel.manager.response(for: TestEndpoint(path), as: .nothing) }
        #expect(try #require(server.requests.last?.rawHead).range(of: Data("e\u{301}=1; \u{E9}=2".utf8)) != nil)
        #expect(channel.cookies?.cookies.map { Array($0.name.utf8) } == [Array("e\u{301}".utf8), Array("\u{E9}".utf8)])
    }

    @Test("that are not UTF-8 read as ISO-8859-1 for a person, and print no value")
    func latin1() throws {
        let jar = CookieJar()
        let field = HTTPField(name: .setCookie, lenientValue: Array("n".utf8) + [0xE4, 0x3D, 0x4A, 0x6F, 0x73, 0xE9])
        jar.store(ResponseHead(status: .ok, headers: HTTPFields([field])), from: try HTTPURL("https://a.example/"))
        let cookie = try #require(jar.cookies.first)
        #expect(cookie.name == "nä" && cookie.value.revealed == "José")
        var dumped = ""
        dump(cookie, to: &dumped)
        // A byte of the value, as the dump of an array has it; a date may contain the same digits.
        #expect(!"\(cookie) \(dumped)".contains("José") && !dumped.contains("- 233\n"))
    }

    @Test("of a redirect are sent to its target, and each host gets its own")
    func redirects() async throws {
        let other = try LoopbackServer.start { .ok($0.headers["cookie"] ?? "none", headers: ["Set-Cookie": "there=2"]) }
        let server = try LoopbackServer.start { request in
            switch request.path {
            case "/a": .redirect(to: "/b", headers: ["Set-Cookie": "hop=1; Path=/"])
            case "/b": .redirect(to: "http://localhost:\(other.port)/c")
            default: .ok(request.headers["cookie"] ?? "none")
            }
        }
        let manager = channel(server).manager
        #expect(try await manager.response(for: TestEndpoint("a"), as: .text).value == "none")
        #expect(server.requests.map { $0.headers["cookie"] } == [nil, "hop=1"])
        let elsewhere = TestEndpoint("c", baseURL: "http://localhost:\(other.port)")
        #expect(try await manager.response(for: elsewhere, as: .text).value == "there=2")
        #expect(try await manager.response(for: TestEndpoint("d"), as: .text).value == "hop=1")
    }

    @Test("are not shared by two channels, nor with an isolated copy")
    func channels() async throws {
        let server = try LoopbackServer.test { request in
            guard request.path == "/login" else { return .ok(request.headers.all("cookie").joined(separator: " | ")) }
            return .ok("in", headers: ["Set-Cookie": "sid=1; Path=/; HttpOnly", "Set-Cookie": "theme=dark; Path=/"])
        }
        let (one, two) = (channel(server), channel(server))
        _ = await one.manager.response(for: TestEndpoint("login"), as: .nothing)
        #expect(try await two.manager.response(for: TestEndpoint("home"), as: .text).value == "")
        let copy = CommonDispatcher(channel: one).isolatedCopy()
        let manager = NetworkManager<TestEndpoint>(dispatcher: copy)
        #expect(try await manager.response(for: TestEndpoint("home"), as: .text).value == "")
        _ = await manager.response(for: TestEndpoint("login"), as: .nothing)
        #expect(copy.channel.cookies?.cookies.count == 2)
        await copy.channel.close()
    }

    @Test("that are Secure are neither sent nor accepted over http")
    func secure() async throws {
        let server = try LoopbackServer.start {
            .ok($0.headers["cookie"] ?? "none", headers: ["Set-Cookie": "b=2; Secure; Path=/"])
        }
        let channel = channel(server)
        try channel.cookies?.set("a=1; Secure; Path=/", from: "https://127.0.0.1/")
        for _ in 0..<2 { #expect(try await channel.manager.response(for: TestEndpoint("x"), as: .text).value == "none") }
        #expect(channel.cookies?.cookies.map(\.name) == ["a"])
    }

    @Test("are not added to a request with its own Cookie header, on all its hops; those of its answers are kept")
    func ownHeader() async throws {
        let server = try LoopbackServer.start { request in
            guard request.path == "/a" else { return .ok(request.headers.all("cookie").joined(separator: " | ")) }
            return .redirect(
                to: "http://localhost:\(request.headers["host"]?.split(separator: ":").last ?? "")/b",
                headers: ["Set-Cookie": "new=2; Path=/"])
        }
        let channel = channel(server)
        try channel.cookies?.set("jar=1; Path=/", from: server.url + "/")
        try channel.cookies?.set("other=1; Path=/", from: "http://localhost/")
        let endpoint = TestEndpoint("a", headers: ["Cookie": "mine=1; too=2"])
        #expect(try await channel.manager.response(for: endpoint, as: .text).value == "")
        #expect(server.requests.map { $0.headers["cookie"] } == ["mine=1; too=2", nil])
        #expect(channel.cookies?.cookies.map(\.name).contains("new") == true)
    }

    @Test("never make a head that servers reject", arguments: [ServerTLS.ApplicationProtocol.http1, .http2])
    func bomb(version: ServerTLS.ApplicationProtocol) async throws {
        let server = try LoopbackServer.start(tls: ServerTLS(protocols: [version])) { _ in .ok("fine") }
        let channel = channel(server)
        for index in 0..<49 {
            try channel.cookies?.set("c\(index)=\(String(repeating: "v", count: 4_000)); Path=/", from: server.url + "/")
        }
        try channel.cookies?.set("small=1; Path=/", from: server.url + "/")
        #expect(try await channel.manager.response(for: TestEndpoint("x"), as: .text).value == "fine")
        let sent = try #require(server.requests.first?.headers.all("cookie").joined(separator: "; "))
        #expect(sent.utf8.count <= CookieJar.headerLimit && sent.contains("c0=") && sent.contains("small=1"))
    }

    @Test(
        "with control characters are rejected and never sent",
        arguments: [
            "a=b\u{0}c", "a=b\u{0}", "a=b\r", "\u{0}a=b", "a=b\rInjected: 1", "a=b\u{1}", "a=b\u{7F}", "a\u{8}=b",
            "a=b; Path=/\u{1B}", "a=b\u{B}",
        ])
    func smuggling(_ line: String) async throws {
        let server = try LoopbackServer.start { _ in .ok("", headers: ["Set-Cookie": line, "Set-Cookie": "good=1; Path=/"]) }
        let channel = channel(server)
        for _ in 0..<2 { _ = await channel.manager.response(for: TestEndpoint("x"), as: .nothing) }
        #expect(channel.cookies?.cookies.contains { $0.name != "good" } == false)
        for request in server.requests {
            #expect(request.error == nil && [nil, "good=1"].contains(request.headers["cookie"]), "\(request.headers)")
            #expect(request.headers["injected"] == nil)
        }
    }

    @Test("of a response with a malformed head are not kept")
    func malformed() async throws {
        let server = try LoopbackServer.start { _ in
            [
                .sendHead(status: 200, headers: ["Set-Cookie": "a=1", "Content-Length": "3", "Content-Length": "4"]),
                .sendBody(Data("abc".utf8)), .closeConnection,
            ]
        }
        let channel = channel(server)
        #expect(await channel.error()?.label == "transport.malformedResponse")
        #expect(channel.cookies?.cookies.isEmpty == true)
    }

    @Test("appear in no log, error or response, and a rejected one is reported to the logger")
    func logs() async throws {
        let server = try LoopbackServer.start { _ in
            .status(500, headers: ["Set-Cookie": "sid=s3cret; Path=/", "Set-Cookie": "__Host-x=s3cret"])
        }
        var channel = channel(server)
        let lines = Shared("")
        channel.logger = FunctionLogger { event in lines.change { $0 += "\(event)\n" } }
        for _ in 0..<2 {
            let response = await channel.manager.response(for: TestEndpoint("x"), as: .nothing)
            lines.change {
                $0 += "\(response) \(response.request.map { "\($0)" } ?? "") \(response.error?.localizedDescription ?? "")"
            }
        }
        #expect(server.requests.last?.headers["cookie"] == "sid=s3cret")
        #expect(lines.current.contains("was rejected: the prefix __Host-"))
        #expect(!lines.current.contains("s3cret"), "\(lines.current)")
    }
}
