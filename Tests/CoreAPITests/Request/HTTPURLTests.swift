import TestSupport

@testable import CoreAPICore

@Suite("An address", .closing)
struct HTTPURLTests {
    @Test(
        "is normalised once",
        arguments: [
            ("HTTPS://API.Example.COM/v1", "https://api.example.com/v1"), ("http://example.com:80", "http://example.com/"),
            ("https://example.com:443/a", "https://example.com/a"), ("http://example.com:8080", "http://example.com:8080/"),
            ("https://example.com?q=a b", "https://example.com/?q=a%20b"),
            ("https://example.com/a#fragment", "https://example.com/a"),
            ("https://example.com/çanta", "https://example.com/%C3%A7anta"),
            ("https://example.com/a%2fb", "https://example.com/a%2fb"),
            ("https://example.com/100%", "https://example.com/100%25"),
            ("https://example.com/a/../b/./c", "https://example.com/b/c"), ("https://example.com/../..", "https://example.com/"),
            ("https://[::1]:8443/x", "https://[::1]:8443/x"), ("https://127.0.0.1/x", "https://127.0.0.1/x"),
            ("https://1.example/x", "https://1.example/x"), ("https://example.com./x", "https://example.com./x"),
        ])
    func normalised(text: String, expected: String) throws { #expect(try HTTPURL(text).string == expected) }

    @Test(
        "a host with letters beyond ASCII is in the form that DNS knows (UTS 46)",
        arguments: [
            ("münchen.example", "xn--mnchen-3ya.example"), ("MÜNCHEN.example", "xn--mnchen-3ya.example"),
            ("mu\u{308}nchen.example", "xn--mnchen-3ya.example"), ("bücher.example", "xn--bcher-kva.example"),
            ("faß.de", "xn--fa-hia.de"), ("例え。テスト", "xn--r8jz45g.xn--zckzah"), ("☃.example", "xn--n3h.example"),
            ("１２７.0.0.1", "127.0.0.1"), ("ｅxample.com", "example.com"), ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
        ])
    func internationalHosts(host: String, expected: String) throws {
        #expect(try HTTPURL("https://\(host):8443/a?b#c").string == "https://\(expected):8443/a?b")
        #expect(try HTTPURL("https://h.example/").resolving("//\(host)/a").host == expected)
    }

    @Test(
        "a backslash in a query is data, and one in a fragment goes with it",
        arguments: [("?a=b\\c", "/?a=b%5Cc"), ("/x?\\", "/x?%5C"), ("/x#\\", "/x"), ("#a\\b?c", "/")])
    func backslash(rest: String, target: String) throws { #expect(try HTTPURL("https://h.example\(rest)").target == target) }

    @Test(
        "a delimiter is one before a combining mark, too",
        arguments: [("/a?\u{301}b", "/a?%CC%81b"), ("/a#\u{301}b", "/a"), ("/\u{338}a", "/%CC%B8a"), ("?\u{301}", "/?%CC%81")])
    func combiningMarks(rest: String, target: String) throws {
        #expect(try HTTPURL("https://h.example:8443\(rest)").target == target)
        #expect(try HTTPURL("https://h.example:8443/").resolving(rest).target == target)
        #expect(try HTTPURL("https://other.example/").resolving("//h.example:8443\(rest)").host == "h.example")
        var url = try HTTPURL("https://h.example")
        try url.append(path: String(rest.prefix { $0 != "#" && $0 != "#\u{301}" }))
        #expect(url.target == target)
        let error = #expect(throws: RequestError.self) { try HTTPURL("https://user:secret@\u{301}h.example/") }
        #expect("\(try #require(error))".contains("user information"))
        #expect(!"\(try #require(error))".contains("secret"))
    }

    @Test(
        "is rejected with the reason",
        arguments: [
            ("", "absolute URL"), ("example.com/x", "absolute URL"), ("https://", "host is empty"),
            ("https:///path", "host is empty"), ("https://user:secret@example.com/", "user information"),
            ("https://exa mple.com/", "not a host name"), ("https://a／b.example/", "UTS 46"), ("https://a＠b.example/", "UTS 46"),
            ("https://a：80.example/", "UTS 46"), ("https://a\u{200D}b.example/", "UTS 46"), ("https://\u{AD}/", "UTS 46"),
            ("https://a。。b.example/", "UTS 46"), ("https://１２７.１/", "four decimal numbers"),
            ("https://example.com/a\\b", "backslash"), ("https://example.com:0/", "port"), ("https://example.com:65536/", "port"),
            ("https://example.com:8a/", "port"), ("https://[::1/", "closing bracket"), ("https://[zz]/", "not an IPv6 address"),
            ("https://[:::]/", "not an IPv6 address"), ("https://[fe80::1%25]/", "zone"), ("https://[fe80::1%25a b]/", "zone"),
            ("https://[fe80::1%25a%2Fb]/", "zone"), ("https://[fe80::1%eth0]/", "not an IPv6 address"),
            ("https://[%25eth0]/", "not an IPv6 address"), ("https://127.1/", "four decimal numbers"),
            ("https://0x7f.0.0.1/", "four decimal numbers"), ("https://2130706433/", "four decimal numbers"),
            ("https://256.0.0.1/", "four decimal numbers"), ("https://0x7f000001/", "four decimal numbers"),
            ("https://127.0.0.1.5/", "four decimal numbers"), ("https://example..com/", "empty label"),
            ("https://example.com\\@evil.example/", "backslash"), ("https://example.com/a\r\nHost: evil", "CR"),
            ("https://example.com/a\nb", "LF"), ("https://example.com/a\0b", "NUL"),
        ])
    func rejected(text: String, reason: String) {
        let error = #expect(throws: RequestError.self) { try HTTPURL(text) }
        #expect(error?.errorDescription?.contains(reason) == true, "\(error?.errorDescription ?? "-")")
        #expect(error?.errorDescription?.contains("\n") == false, "an error text must not break a log line")
    }

    @Test("of an IPv6 address has a zone, which is not sent (RFC 6874), and which a redirect keeps")
    func zone() async throws {
        let url = try HTTPURL("http://[FE80:0::1%25Eth0]:8080/a?b")
        #expect(url.host == "[fe80::1%25Eth0]" && url.authority == "[fe80::1]:8080" && url.effectivePort == 8_080)
        #expect(url.string == "http://[fe80::1%25Eth0]:8080/a?b")
        #expect(try url.resolving("/c").string == "http://[fe80::1%25Eth0]:8080/c")
        #expect(try !url.hasSameOrigin(as: HTTPURL("http://[fe80::1%25eth1]:8080")))
        let server = try LoopbackServer.test(on: .ipv6) { request in
            request.path == "/first" ? .redirect(to: "/second", status: 302) : .ok()
        }
        #if canImport(Darwin)
        let interface = "lo0"
        #else
        let interface = "lo"
        #endif
        let channel = Channel.test("http://[::1%25\(interface)]:\(server.port)")
        #expect(await channel.manager.response(for: TestEndpoint("first"), as: .nothing).error == nil)
        #expect(server.requests.map(\.path) == ["/first", "/second"])
        #expect(server.requests.allSatisfy { $0.headers["host"] == "[::1]:\(server.port)" })
    }

    @Test(
        "has no scheme but http and https",
        arguments: ["file:///etc/passwd", "ftp://example.com/", "gopher://x/", "javascript://x/"])
    func scheme(text: String) {
        #expect { try HTTPURL(text) } throws: { error in
            if case .unsupportedScheme? = error as? RequestError { true } else { false }
        }
    }

    @Test(
        "takes a path below its base",
        arguments: [
            ("orders", "https://h.example/v1/orders"), ("/orders", "https://h.example/v1/orders"),
            ("orders/7?page=1", "https://h.example/v1/orders/7?page=1"),
            ("a b/ç?q=x y", "https://h.example/v1/a%20b/%C3%A7?q=x%20y"), ("a#b", "https://h.example/v1/a%23b"),
            ("a%20b", "https://h.example/v1/a%20b"), ("", "https://h.example/v1"), ("a:b/c@d", "https://h.example/v1/a:b/c@d"),
            ("a?", "https://h.example/v1/a?"), ("?", "https://h.example/v1?"), ("a b?", "https://h.example/v1/a%20b?"),
        ])
    func appending(path: String, expected: String) throws {
        var url = try HTTPURL("https://h.example/v1")
        try url.append(path: path)
        #expect(url.string == expected)
    }

    @Test(
        "rejects a path that leaves its base, and text that is not a path",
        arguments: ["../admin", "a/../../b", "%2e%2e/admin", "a/.%2E/b", "./x", "https://evil.example/", "a\r\nb", "a\0"])
    func climbing(path: String) throws {
        var url = try HTTPURL("https://h.example/v1")
        let before = url
        #expect(throws: RequestError.self) { try url.append(path: path) }
        #expect(url == before)
    }

    @Test(
        "resolves the references of RFC 3986 §5.4",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
            ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
            ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
            ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("http://example.com/x", "http://example.com/x"),
        ])
    func resolution(reference: String, expected: String) throws {
        #expect(try HTTPURL("http://a/b/c/d;p?q").resolving(reference).string == expected)
    }

    @Test(
        "rejects references to other schemes, and without a host",
        arguments: ["file:///etc/passwd", "mailto:x@example.com", "javascript:alert(1)"].map { ($0, "") }
            + ["http:", "https:/a", "HTTP:b", "https:/a?next=https://b"].map { ($0, "expected '//' and a host after 'http") })
    func foreignReference(reference: String, reason: String) throws {
        let error = #expect(throws: RequestError.self) { try HTTPURL("http://a/").resolving(reference) }
        #expect(reason.isEmpty || "\(String(describing: error))".contains(reason))
    }

    @Test("appends query items by RFC 3986")
    func query() throws {
        var url = try HTTPURL("https://h.example/s?a=1")
        url.appendQuery("q", "a b+c&d=e#f/g?ı%~")
        url.appendQuery("flag", nil)
        #expect(url.query == "a=1&q=a%20b%2Bc%26d%3De%23f%2Fg%3F%C4%B1%25~&flag")
        #expect(url.queryItems.map(\.value) == ["1", "a b+c&d=e#f/g?ı%~", nil])
    }

    /// It is looked for in eight bytes at a time.
    @Test("a control character or a space is found wherever it stands", arguments: 0...17)
    func controlsAndSpaces(fillers: Int) {
        // Ends of ranges, and bytes that differ from those that are looked for in one bit only.
        let kinds: [[UInt8]] = ["!", "~", "a", "\u{80}", "\u{A0}", "\u{7FF}", "\u{FFFF}"].map { Array($0.utf8) }
        var wrong: [[UInt8]] = []
        for filler in kinds {
            for before in 0...fillers {
                for byte: UInt8 in 0...0x7F {
                    let sides = [before, fillers - before].map { count in repeatElement(filler, count: count).flatMap { $0 } }
                    let bytes = sides[0] + [byte] + sides[1]
                    let expected = bytes.contains { $0 <= 0x20 || $0 == 0x7F }
                    if String(decoding: bytes, as: UTF8.self).hasControlOrSpace != expected { wrong.append(bytes) }
                }
            }
        }
        #expect(wrong == [])
    }
}
