import TestSupport

@testable import CoreAPICookies
@testable import CoreAPICore

@Suite("Rules for setting a cookie")
struct CookieRulesTests {
    private let jar = CookieJar()

    @Test(
        "a public suffix is rejected as a domain",
        arguments: [
            ("com", "example.com"), ("co.uk", "shop.co.uk"), ("github.io", "kit.github.io"), ("com.tr", "a.b.com.tr"),
            ("internal", "a.internal"), ("com.", "example.com."), ("xn--p1ai", "a.xn--p1ai"), ("kawasaki.jp", "a.b.kawasaki.jp"),
        ])
    func suffixes(_ domain: String, _ host: String) {
        #expect(throws: Cookie.Rejection.publicSuffix(domain)) { try jar.set("a=b; Domain=\(domain)", from: "https://\(host)/") }
        #expect(throws: Cookie.Rejection.publicSuffix(domain)) { try jar.set("a=b; Domain=.\(domain)", from: "https://\(host)/") }
        #expect(jar.cookies.isEmpty)
    }

    @Test(
        "for a host that is itself a public suffix, the cookie is host-only",
        arguments: ["github.io", "com", "localhost", "co.uk"])
    func suffixHosts(_ host: String) throws {
        try jar.set("a=b; Domain=\(host)", from: "https://\(host)/")
        #expect(jar.cookies.map(\.isHostOnly) == [true])
        #expect(try jar.sent(to: "https://kit.\(host)/").isEmpty)
    }

    @Test("a domain below a suffix is accepted")
    func ordinary() throws {
        for (domain, host) in [
            ("shop.co.uk", "a.shop.co.uk"), ("kit.github.io", "kit.github.io"), ("city.kawasaki.jp", "a.city.kawasaki.jp"),
        ] { try jar.set("a=b; Domain=\(domain)", from: "https://\(host)/") }
        #expect(jar.cookies.map(\.isHostOnly) == [false, false, false])
    }

    @Test("without a list, only the host itself is an accepted domain, and the cookie is host-only")
    func withoutList() throws {
        let jar = CookieJar(suffixes: nil)
        #expect(throws: Cookie.Rejection.unknownSuffix("example.com")) { try jar.set("a=b; Domain=example.com") }
        try jar.set("a=b; Domain=shop.example.com; Path=/")
        try jar.set("b=c; Path=/")
        #expect(jar.cookies.map(\.isHostOnly) == [true, true])
        #expect(try jar.sent(to: "https://x.shop.example.com/").isEmpty)
        #expect(try jar.sent(to: "https://shop.example.com/") == ["a=b", "b=c"])
    }

    @Test(
        "a name with a prefix needs the prefix's attributes",
        arguments: [
            ("__Secure-a=1; Secure", true), ("__Secure-a=1", false), ("__secure-a=1", false),
            ("__Secure-a=1; Secure; Domain=example.com", true), ("__Host-a=1; Secure; Path=/", true),
            ("__HOST-a=1; Secure; Path=/", true), ("__Host-a=1; Path=/", false), ("__Host-a=1; Secure", false),
            ("__Host-a=1; Secure; Path=/a", false), ("__Host-a=1; Secure; Path=/; Domain=example.com", false),
            ("__hOsT-a=1; Secure; Path=/a", false), ("=__Host-a=1; Secure; Path=/", false), ("__Host-a; Secure; Path=/", false),
            ("=__secure-a", false), ("__Host-\u{301}a=1; Path=/", false), ("__Hostess=1", true), ("a=__Host-b", true),
            ("__Host-=1; Secure; Path=/", true), ("__Host-=1", false),
        ])
    func prefixes(_ line: String, _ isTaken: Bool) throws {
        #expect(((try? jar.set(line)) != nil) == isTaken, "\(line)")
        #expect(jar.cookies.isEmpty == !isTaken)
    }

    @Test("a __Host- cookie must name its path, even the default one")
    func hostPath() {
        #expect(throws: Cookie.Rejection.prefix("__Host-")) {
            try jar.set("__Host-a=1; Secure", from: "https://shop.example.com/")
        }
    }

    @Test("a rejection gives the reason and hides the value")
    func texts() {
        let lines = [
            "sid=s3cret\u{1}", "sid=s3cret; Domain=com", "sid=s3cret; Domain=x\u{e9}.example", "__Host-sid=s3cret",
            "sid=s3cret; SameSite=None", "sid=s3cret" + String(repeating: "x", count: 5_000),
        ]
        for line in lines {
            let error = #expect(throws: Cookie.Rejection.self) { try jar.set(line) }
            let text = error?.localizedDescription ?? ""
            #expect(text.count > 20 && !text.contains("s3cret") && !"\(error as Any)".contains("s3cret"), "\(text)")
        }
    }
}

@Suite("A Set-Cookie line")
struct SetCookieTests {
    private func parse(_ line: String) throws -> SetCookie { try SetCookie(Array(line.utf8)) }

    @Test(
        "name and value, read leniently (RFC 6265bis §5.6)",
        arguments: [
            ("a=b", "a", "b"), (" a = b ", "a", "b"), ("\ta\t=\tb\t", "a", "b"), ("a=", "a", ""), ("=b", "", "b"), ("b", "", "b"),
            ("a=b=c", "a", "b=c"), ("a==", "a", "="), ("a=\"b c\"", "a", "\"b c\""), ("a=b;", "a", "b"), ("a=b;;;", "a", "b"),
            ("a=b; c=d", "a", "b"), ("a b=c d", "a b", "c d"), ("ş=ğ", "ş", "ğ"), ("a=b,c=d", "a", "b,c=d"),
            ("a=x\ty", "a", "x\ty"), ("a=b; Expires", "a", "b"), ("a=b; =", "a", "b"), ("a=b; Secure=no", "a", "b"),
        ])
    func pairs(_ line: String, _ name: String, _ value: String) throws {
        let cookie = try parse(line)
        #expect(cookie.name == Array(name.utf8) && cookie.value.revealed == Array(value.utf8))
    }

    @Test(
        "name and value are the received bytes, in any charset",
        arguments: [
            Array("n=Jos".utf8) + [0xE9], [0xFE, 0x3D, 0xFF], [0xA0, 0x3D, 0x80, 0x85, 0x9B],
            Array("n=\"Jos".utf8) + [0xE9, 0x22], [0x6E, 0x3D, 0xC5, 0x9F, 0xE9], [0x6E, 0x3D, 0xED, 0xA0, 0x80],
            Array("ş=ğ".utf8), [0xEF, 0xBB, 0xBF, 0x6E, 0x3D, 0x31],
        ])
    func anyBytes(line: [UInt8]) throws {
        let cookie = try SetCookie(line + Array("; Path=/".utf8))
        #expect(cookie.name + [0x3D] + cookie.value.revealed == line && cookie.path == "/")
    }

    @Test("an invalid cookie is rejected with the reason")
    func rejected() {
        for control in (0...0x1F).filter({ $0 != 0x09 }) + [0x7F] {
            for line in [Array("a=b".utf8) + [UInt8(control)], Array("a=b; path=/".utf8) + [UInt8(control)] + Array("x".utf8)] {
                #expect(throws: Cookie.Rejection.controlCharacter(UInt8(control))) { try SetCookie(line) }
            }
        }
        for line in ["", "=", " ; Secure", ";", " = "] { #expect(throws: Cookie.Rejection.empty, "\(line)") { try parse(line) } }
        #expect(throws: Cookie.Rejection.tooLong(octets: 4_097, limit: 4_096)) {
            try parse("a=" + String(repeating: "b", count: 4_096))
        }
        #expect(throws: Cookie.Rejection.tooLong(octets: 4_098, limit: 4_096)) { try parse(String(repeating: "ş", count: 2_049)) }
    }

    @Test("name and value may have 4096 octets, without the attributes")
    func longest() throws {
        let value = String(repeating: "b", count: 4_095)
        #expect(try parse("a=\(value); Path=/\(String(repeating: "p", count: 1_000))").value.revealed == Array(value.utf8))
    }

    @Test("attributes have any case, the last of a kind wins, and unknown ones are ignored")
    func attributes() throws {
        let cookie = try parse(
            "a=b; DOMAIN=.A.Example; path=/x ;sEcUrE; HTTPONLY; samesite=STRICT; Max-Age=5; Priority=High; Path=/y")
        #expect(cookie.domain == "a.example" && cookie.path == "/y" && cookie.isSecure && cookie.isHTTPOnly)
        #expect(cookie.sameSite == .strict && cookie.maxAge == 5)
        let none = try parse("a=b; Domain=x.example; Domain=; Path=/x; Path=relative; SameSite=Lax; SameSite=unspecified")
        #expect(none.domain == nil && none.path == nil && none.sameSite == .unspecified)
        #expect(!none.isSecure && !none.isHTTPOnly && none.expires == nil && none.maxAge == nil)
    }

    @Test("an attribute whose value has more than 1024 octets is ignored")
    func longAttributes() throws {
        let limit = "/" + String(repeating: "p", count: 1_023)
        #expect(try parse("a=b; Path=\(limit)").path == limit)
        #expect(try parse("a=b; Path=/x; Path=\(limit)p").path == "/x")
        #expect(try parse("a=b; Secure=\(limit)p").isSecure == false)
    }

    @Test(
        "Max-Age is digits, possibly after a minus; other values are ignored",
        arguments: [
            ("5", 5), ("0", 0), ("-1", -1), ("007", 7), ("99999999999999999999", Int.max), ("-99999999999999999999", Int.min),
            ("", nil), ("-", nil), ("+5", nil), ("5s", nil), ("5.0", nil), ("٥", nil),
        ] as [(String, Int?)])
    func maxAge(_ text: String, _ seconds: Int?) throws { #expect(try parse("a=b; Max-Age=\(text)").maxAge == seconds) }

    @Test("prints neither value")
    func secret() throws {
        let cookie = try parse("sid=s3cret")
        var dumped = ""
        dump(cookie, to: &dumped)
        #expect(!"\(cookie) \(String(reflecting: cookie)) \(dumped)".contains("s3cret"))
    }
}

@Suite("A cookie's date (RFC 6265bis §5.1.1)")
struct CookieDateTests {
    private func seconds(_ text: String) -> Int? { CookieDate.date(text[...].utf8).map { Int($0.timeIntervalSince1970) } }

    @Test(
        "is found in any order and between any delimiters",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "1994 6 nov 8:49:37",
            "08:49:37 06 NOVEMBER 1994", "Sun,06/Nov/1994(08:49:37)", "6th Nov 94 08:49:37pm", "06 Nov 1994 08:49:37 +0300",
        ])
    func read(_ text: String) { #expect(seconds(text) == 784_111_777) }

    @Test(
        "with two digits is of this century up to 69; it knows leap years and years long past",
        arguments: [
            ("1 Jan 70", 0), ("1 Jan 99", 915_148_800), ("1 Jan 00", 946_684_800), ("1 Jan 69", 3_124_224_000),
            ("29 Feb 2000", 951_782_400), ("29 Feb 2024", 1_709_164_800), ("1 Jan 1601", -11_644_473_600),
            ("31 Dec 9999", 253_402_214_400),
        ])
    func years(_ day: String, _ expected: Int) { #expect(seconds("\(day) 00:00:00") == expected) }

    @Test(
        "that does not exist or lacks a part is rejected",
        arguments: [
            "", "tomorrow", "Nov 1994 08:49:37", "06 1994 08:49:37", "06 Nov 08:49:37", "06 Nov 1994", "06 Nov 1994 24:00:00",
            "06 Nov 1994 08:60:00", "06 Nov 1994 08:49:60", "00 Nov 1994 08:49:37", "31 Nov 1994 08:49:37",
            "29 Feb 1900 00:00:00",
            "30 Feb 2024 00:00:00", "06 Nov 1600 08:49:37", "06 Nov 19945 08:49:37", "006 Nov 1994 08:49:37", "06 Nov 1994 8:49",
            "06 Nov 1994 :::", "06 Nov 1994 111:2:3", "999999999999999999999999 Nov 1994 1:1:1", "６ Nov 1994 08:49:37",
        ])
    func rejected(_ text: String) { #expect(seconds(text) == nil) }
}

@Suite("Where a cookie belongs")
struct CookieMatchingTests {
    @Test(
        "a host matches a domain that it is or lies below (RFC 6265bis §5.1.3)",
        arguments: [
            ("example.com", "example.com", true), ("example.com", "a.example.com", true),
            ("example.com", "a.b.example.com", true), ("example.com", "badexample.com", false),
            ("a.example.com", "example.com", false), ("example.com", "example.org", false),
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
    func defaultPath(_ requested: String, _ path: String) { #expect(CookieMatching.defaultPath(of: requested) == path) }

    @Test("an address has no domains above it")
    func above() {
        #expect(CookieMatching.domains(of: "a.b.example") == ["a.b.example", "b.example", "example"])
        #expect(CookieMatching.domains(of: "127.0.0.1") == ["127.0.0.1"])
        #expect(CookieMatching.domains(of: "[::1]") == ["[::1]"])
    }
}

@Suite("A full cookie jar (RFC 6265bis §5.7)")
struct CookieLimitsTests {
    private let clock = JarClock()

    private func jar(perDomain: Int = 50, _ limit: Int = 3_000) -> CookieJar {
        CookieJar(limitPerDomain: perDomain, limit: limit, suffixes: .loaded, now: { [clock] in clock.now })
    }

    @Test("holds by default 50 cookies of a domain and 3000 in total")
    func defaults() throws {
        let jar = CookieJar()
        for host in 0..<61 { for index in 0..<51 { try jar.set("c\(index)=1", from: "https://h\(host).example/") } }
        #expect(jar.cookies.count == 3_000)
        #expect(jar.cookies(for: try HTTPURL("https://h60.example/")).count == 50)
    }

    @Test("removes expired cookies first, then those without Secure, then the least recently used")
    func order() throws {
        let jar = jar(perDomain: 4)
        try jar.set("secure1=1; Secure; Path=/1")
        clock.advance(by: 1)
        try jar.set("secure2=1; Secure; Path=/2")
        clock.advance(by: 1)
        try jar.set("plain=1; Path=/p")
        clock.advance(by: 1)
        try jar.set("short=1; Secure; Max-Age=1; Path=/s")
        clock.advance(by: 1)
        try jar.set("new1=1; Secure; Path=/")
        #expect(jar.cookies.map(\.name) == ["secure1", "secure2", "plain", "new1"], "the expired one went")
        clock.advance(by: 1)
        try jar.set("new2=1; Secure; Path=/")
        #expect(jar.cookies.map(\.name) == ["secure1", "secure2", "new1", "new2"], "the one that is not Secure went")
        _ = jar.cookies(for: try HTTPURL("https://shop.example.com/1"))
        clock.advance(by: 1)
        try jar.set("new3=1; Secure; Path=/")
        #expect(jar.cookies.map(\.name) == ["secure1", "new1", "new2", "new3"], "the least recently used one went")
    }

    @Test("a cookie that finds no room is not reported as stored", arguments: [false, true])
    func noRoom(inDomain: Bool) throws {
        let jar = inDomain ? jar(perDomain: 1) : jar(1)
        let url = try HTTPURL("https://shop.example.com/")
        #expect(try jar.store("login=1; Secure", from: url)?.name == "login")
        #expect(try jar.store("visit=1", from: url) == nil)
        #expect(jar.cookies.map(\.name) == ["login"])
    }

    @Test("beyond the total limit, removes the least recently used cookie of any domain")
    func total() throws {
        let jar = jar(3)
        for host in ["a", "b", "c"] {
            clock.advance(by: 1)
            try jar.set("x=\(host)", from: "https://\(host).example/")
        }
        clock.advance(by: 1)
        #expect(try jar.sent(to: "https://a.example/") == ["x=a"])
        clock.advance(by: 1)
        try jar.set("x=d", from: "https://d.example/")
        #expect(jar.cookies.map(\.domain) == ["a.example", "c.example", "d.example"])
    }

    @Test("a cookie that is set again counts once")
    func again() throws {
        let jar = jar(perDomain: 2, 2)
        for value in 0..<10 { try jar.set("a=\(value)") }
        try jar.set("b=1")
        #expect(jar.cookies.map { String(octets: $0.pair) } == ["a=9", "b=1"])
    }

    @Test("a limit below one keeps no cookie")
    func none() throws {
        let jar = jar(perDomain: -1)
        try jar.set("a=1")
        #expect(jar.cookies.isEmpty)
    }
}
