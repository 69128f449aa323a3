import TestSupport

@testable import CoreAPICookies
@testable import CoreAPICore

@Suite("Where a cookie belongs")
struct CookieMatchingTests {
    @Test(
        "a host matches a domain that it is or lies below (RFC 6265bis §5.1.3)",
        arguments: [
            ("example.com", "example.com", true), ("example.com", "a.example.com", true),
            ("example.com", "a.b.example.com", true),
            ("example.com", "badexample.com", false), ("a.example.com", "example.com", false),
            ("example.com", "example.org", false),
            ("example.com", "example.com.", false), ("", "example.com", false), ("com", "example.com", true),
            ("0.0.1", "127.0.0.1", false), ("127.0.0.1", "127.0.0.1", true), ("[::1]", "[::1]", true), ("1]", "[::1.1]", false),
            ("\u{212A}.example", "k.example", false),
        ])
    func domains(_ domain: String, _ host: String, _ matches: Bool) {
        #expect(CookieMatching.domain(domain, matches: host) == matches)
    }

    @Test(
        "a path matches itself and what lies below (§5.1.4)",
        arguments: [
            ("/", "/", true), ("/", "/a/b", true), ("/a", "/a", true), ("/a", "/a/", true), ("/a", "/a/b", true),
            ("/a", "/ab", false),
            ("/a/", "/a", false), ("/a/", "/a/b", true), ("/a/b", "/a", false), ("/A", "/a", false), ("/%61", "/a", false),
        ])
    func paths(_ path: String, _ requested: String, _ matches: Bool) {
        #expect(CookieMatching.path(path, matches: requested) == matches)
    }

    @Test(
        "without a path it belongs to the directory of what set it",
        arguments: [("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/", "/a/b"), ("", "/"), ("x/y", "x")])
    func defaultPath(_ requested: String, _ path: String) {
        #expect(CookieMatching.defaultPath(of: requested) == path)
    }

    @Test("an address has no domains above it")
    func above() {
        #expect(CookieMatching.domains(of: "a.b.example") == ["a.b.example", "b.example", "example"])
        #expect(CookieMatching.domains(of: "127.0.0.1") == ["127.0.0.1"])
        #expect(CookieMatching.domains(of: "[::1]") == ["[::1]"])
    }
}
