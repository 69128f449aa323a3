import TestSupport

@testable import CoreAPICookies
@testable import CoreAPICore

final class JarClock: Sendable {
    private let seconds = Shared(1_000_000_000.0)
    func advance(by seconds: Double) { self.seconds.change { $0 += seconds } }
    var now: Date { Date(timeIntervalSince1970: seconds.current) }
}

extension CookieJar {
    func sent(to url: String) throws -> [String] { cookies(for: try HTTPURL(url)).map { String(octets: $0.pair) } }

    func set(_ line: String, from url: String = "https://shop.example.com/a/b") throws { try store(line, from: HTTPURL(url)) }
}

@Suite("A cookie jar")
struct CookieJarTests {
    let clock = JarClock()
    var jar: CookieJar

    init() { jar = CookieJar(suffixes: .loaded, now: { [clock] in clock.now }) }

    @Test("sends to the host only, or to the hosts of the named domain")
    func domains() throws {
        try jar.set("host=1; Path=/")
        try jar.set("all=2; Path=/; Domain=example.com")
        #expect(try jar.sent(to: "https://shop.example.com/") == ["host=1", "all=2"])
        #expect(try jar.sent(to: "https://SHOP.EXAMPLE.COM/") == ["host=1", "all=2"])
        #expect(try jar.sent(to: "https://example.com/") == ["all=2"])
        #expect(try jar.sent(to: "https://x.shop.example.com/") == ["all=2"])
        #expect(try jar.sent(to: "https://badexample.com/").isEmpty)
        #expect(throws: Cookie.Rejection.foreignDomain("other.com", host: "shop.example.com")) {
            try jar.set("a=b; Domain=other.com")
        }
        #expect(throws: Cookie.Rejection.self) { try jar.set("a=b; Domain=x.shop.example.com") }
        #expect(throws: Cookie.Rejection.self) { try jar.set("a=b; Domain=\u{212A}.example", from: "https://k.example/") }
        // A combining character does not go with the dot that is left out.
        #expect(throws: Cookie.Rejection.self) { try jar.set("a=b; Domain=.\u{31A}example.com") }
    }

    @Test("an address never shares its cookies, however a domain is spelt")
    func addresses() throws {
        try jar.set("a=1; Domain=127.0.0.1", from: "http://127.0.0.1/")
        #expect(jar.cookies.first?.isHostOnly == true)
        #expect(throws: Cookie.Rejection.self) { try jar.set("a=1; Domain=0.0.1", from: "http://127.0.0.1/") }
        try jar.set("b=2", from: "http://[::1]/")
        #expect(try jar.sent(to: "http://[::1]/") == ["b=2"])
    }

    @Test("sends longer paths first, then older cookies, and counts that as use")
    func order() throws {
        try jar.set("a=1; Path=/")
        clock.advance(by: 1)
        try jar.set("b=2; Path=/")
        try jar.set("c=3")
        clock.advance(by: 1)
        try jar.set("d=4; Path=/a/b")
        try jar.set("a=5; Path=/")
        #expect(try jar.sent(to: "https://shop.example.com/a/b") == ["d=4", "c=3", "a=5", "b=2"])
        #expect(try jar.sent(to: "https://shop.example.com/ab") == ["a=5", "b=2"])
        #expect(jar.cookies.map(\.lastAccessed).allSatisfy { $0 == clock.now })
        #expect(jar.cookies.first?.created == clock.now.addingTimeInterval(-2), "setting again keeps the age")
    }

    @Test("Secure cookies are sent and accepted over https only")
    func secure() throws {
        try jar.set("s=1; Secure; Path=/")
        #expect(try jar.sent(to: "http://shop.example.com/").isEmpty)
        #expect(try jar.sent(to: "https://shop.example.com/") == ["s=1"])
        #expect(throws: Cookie.Rejection.secureFromInsecureOrigin) {
            try jar.set("t=1; Secure", from: "http://shop.example.com/")
        }
        #expect(throws: Cookie.Rejection.sameSiteNoneWithoutSecure) { try jar.set("t=1; SameSite=None") }
        try jar.set("t=1; SameSite=None; Secure; HttpOnly")
        #expect(jar.cookies.last?.sameSite == Cookie.SameSite.none && jar.cookies.last?.isHTTPOnly == true)
    }

    @Test("http can neither replace, nor delete, nor hide a Secure cookie (RFC 6265bis §5.7)")
    func overlay() throws {
        try jar.set("s=1; Secure; Path=/; Domain=example.com")
        for (line, url) in [
            ("s=2; Path=/; Domain=example.com", "http://shop.example.com/"),
            ("s=2; Max-Age=0; Domain=example.com; Path=/", "http://example.com/"),
            ("s=2; Path=/a", "http://shop.example.com/"), ("s=2", "http://x.y.example.com/"),
        ] { #expect(throws: Cookie.Rejection.overlaysSecure(name: "s"), "\(line)") { try jar.set(line, from: url) } }
        try jar.set("other=2", from: "http://shop.example.com/")
        try jar.set("s=2", from: "https://shop.example.com/")
        #expect(jar.cookies.count == 3)
    }

    @Test("keeps a cookie until Max-Age, which wins over Expires, and at most 400 days")
    func expiry() throws {
        try jar.set("a=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/")
        try jar.set("b=2; Expires=Sun, 09 Sep 2001 01:47:00 GMT; Path=/")
        try jar.set("c=3; Path=/")
        try jar.set("d=4; Max-Age=99999999999999999999; Path=/")
        try jar.set("e=5; Expires=31 Dec 9999 23:59:59; Path=/")
        let limit = clock.now.addingTimeInterval(400 * 86_400)
        #expect(
            jar.cookies.map(\.expires) == [clock.now.addingTimeInterval(10), clock.now.addingTimeInterval(20), nil, limit, limit])
        clock.advance(by: 10)
        #expect(try jar.sent(to: "https://shop.example.com/") == ["b=2", "c=3", "d=4", "e=5"])
        clock.advance(by: 400 * 86_400)
        #expect(jar.cookies.map(\.name) == ["c"])
    }

    @Test("a nameless cookie that reads like another is rejected")
    func namelessPair() throws {
        try jar.set("sid=good; Path=/; Secure")
        let address = try HTTPURL("http://shop.example.com/")
        #expect(throws: Cookie.Rejection.namelessPair) { try jar.store("=sid=evil; Path=/", from: address) }
        try jar.set("plain; Path=/")
        #expect(try jar.sent(to: "https://shop.example.com/") == ["sid=good", "plain"])
    }

    @Test("many hosts in clear text do not displace secure cookies")
    func flood() throws {
        try jar.set("sid=1; Path=/; Secure")
        for host in 0..<70 {
            for index in 0..<50 { try jar.store("x\(index)=1", from: HTTPURL("http://h\(host).evil.example/")) }
        }
        #expect(jar.cookies.count == 3_000 && jar.cookies.contains { $0.name == "sid" })
    }

    @Test("an expired cookie blocks no new one and passes on no creation date")
    func expired() throws {
        try jar.set("s=1; Secure; Max-Age=1; Path=/")
        let made = clock.now
        clock.advance(by: 2)
        #expect(try jar.store("s=2; Path=/", from: HTTPURL("http://shop.example.com/")) != nil)
        #expect(jar.cookies.map(\.value.revealed) == ["2"] && jar.cookies.allSatisfy { $0.created > made })
    }

    @Test("an expiry in the past deletes only the cookie of the same name, domain and path")
    func deletion() throws {
        for line in ["a=1; Path=/", "a=2; Path=/a", "a=3; Path=/; Domain=example.com"] { try jar.set(line) }
        #expect(try jar.store("a=; Path=/; Max-Age=0", from: HTTPURL("https://shop.example.com/")) == nil)
        #expect(jar.cookies.map(\.value.revealed).sorted() == ["2", "3"])
        try jar.set("a=; Path=/a; Expires=Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(jar.cookies.map(\.value.revealed) == ["3"])
        try jar.remove(#require(jar.cookies.first))
        #expect(jar.cookies.isEmpty)
        try jar.set("a=1")
        jar.removeAll()
        #expect(try jar.cookies.isEmpty && jar.sent(to: "https://shop.example.com/a/b").isEmpty)
    }

    @Test("prints no value, and nor does a cookie")
    func secrets() throws {
        try jar.set("sid=s3cret; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=9")
        let cookie = try #require(jar.cookies.first)
        var dumped = ""
        dump(jar, to: &dumped)
        dump(jar.cookies, to: &dumped)
        #expect(!"\(jar) \(cookie) \(String(reflecting: cookie)) \(jar.cookies) \(dumped)".contains("s3cret"))
        #expect(
            cookie.description
                == "sid=<redacted>; Domain=shop.example.com only; Path=/; Expires=2001-09-09T01:46:49Z; "
                + "Secure; HttpOnly; SameSite=lax"
        )
    }
}
