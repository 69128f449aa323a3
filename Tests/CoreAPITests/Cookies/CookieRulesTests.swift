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
            ("internal", "a.internal"),
            ("com.", "example.com."), ("xn--p1ai", "a.xn--p1ai"), ("kawasaki.jp", "a.b.kawasaki.jp"),
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
        ] {
            try jar.set("a=b; Domain=\(domain)", from: "https://\(host)/")
        }
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
            ("__Secure-a=1; Secure; Domain=example.com", true),
            ("__Host-a=1; Secure; Path=/", true), ("__HOST-a=1; Secure; Path=/", true), ("__Host-a=1; Path=/", false),
            ("__Host-a=1; Secure", false), ("__Host-a=1; Secure; Path=/a", false),
            ("__Host-a=1; Secure; Path=/; Domain=example.com", false),
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
            "sid=s3cret; SameSite=None",
            "sid=s3cret" + String(repeating: "x", count: 5_000),
        ]
        for line in lines {
            let error = #expect(throws: Cookie.Rejection.self) { try jar.set(line) }
            let text = error?.localizedDescription ?? ""
            #expect(text.count > 20 && !text.contains("s3cret") && !"\(error as Any)".contains("s3cret"), "\(text)")
        }
    }
}
