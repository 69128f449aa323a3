import TestSupport

@testable import CoreAPICookies
@testable import CoreAPICore

@Suite("A full cookie jar (RFC 6265bis §5.7)")
struct CookieLimitsTests {
    private let clock = JarClock()

    private func jar(perDomain: Int = 50, _ limit: Int = 3_000) -> CookieJar {
        CookieJar(limitPerDomain: perDomain, limit: limit, suffixes: .loaded, now: { [clock] in clock.now })
    }

    @Test("holds by default 50 cookies of a domain and 3000 in total")
    func defaults() throws {
        let jar = CookieJar()
        for host in 0..<61 {
            for index in 0..<51 { try jar.set("c\(index)=1", from: "https://h\(host).example/") }
        }
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
