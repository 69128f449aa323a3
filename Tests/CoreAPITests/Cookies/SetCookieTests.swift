import TestSupport

@testable import CoreAPICookies
@testable import CoreAPICore

@Suite("A Set-Cookie line")
struct SetCookieTests {
    private func parse(_ line: String) throws -> SetCookie { try SetCookie(Array(line.utf8)) }

    @Test(
        "name and value, read leniently (RFC 6265bis §5.6)",
        arguments: [
            ("a=b", "a", "b"), (" a = b ", "a", "b"), ("\ta\t=\tb\t", "a", "b"), ("a=", "a", ""), ("=b", "", "b"), ("b", "", "b"),
            ("a=b=c", "a", "b=c"), ("a==", "a", "="), ("a=\"b c\"", "a", "\"b c\""), ("a=b;", "a", "b"), ("a=b;;;", "a", "b"),
            ("a=b; c=d", "a", "b"), ("a b=c d", "a b", "c d"), ("ş=ğ", "ş", "ğ"), ("a=b,c=d", "a", "b,c=d"),
            ("a=x\ty", "a", "x\ty"),
            ("a=b; Expires", "a", "b"), ("a=b; =", "a", "b"), ("a=b; Secure=no", "a", "b"),
        ])
    func pairs(_ line: String, _ name: String, _ value: String) throws {
        let cookie = try parse(line)
        #expect(cookie.name == Array(name.utf8))
        #expect(cookie.value.revealed == Array(value.utf8))
    }

    @Test(
        "name and value are the received bytes, in any charset",
        arguments: [
            Array("n=Jos".utf8) + [0xE9], [0xFE, 0x3D, 0xFF], [0xA0, 0x3D, 0x80, 0x85, 0x9B],
            Array("n=\"Jos".utf8) + [0xE9, 0x22],
            [0x6E, 0x3D, 0xC5, 0x9F, 0xE9], [0x6E, 0x3D, 0xED, 0xA0, 0x80], Array("ş=ğ".utf8),
            [0xEF, 0xBB, 0xBF, 0x6E, 0x3D, 0x31],
        ])
    func anyBytes(line: [UInt8]) throws {
        let cookie = try SetCookie(line + Array("; Path=/".utf8))
        #expect(cookie.name + [0x3D] + cookie.value.revealed == line)
        #expect(cookie.path == "/")
    }

    @Test("an invalid cookie is rejected with the reason")
    func rejected() {
        for control in (0...0x1F).filter({ $0 != 0x09 }) + [0x7F] {
            for line in [Array("a=b".utf8) + [UInt8(control)], Array("a=b; path=/".utf8) + [UInt8(control)] + Array("x".utf8)] {
                #expect(throws: Cookie.Rejection.controlCharacter(UInt8(control))) { try SetCookie(line) }
            }
        }
        for line in ["", "=", " ; Secure", ";", " = "] {
            #expect(throws: Cookie.Rejection.empty, "\(line)") { try parse(line) }
        }
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
        #expect(cookie.domain == "a.example")
        #expect(cookie.path == "/y")
        #expect(cookie.isSecure && cookie.isHTTPOnly)
        #expect(cookie.sameSite == .strict)
        #expect(cookie.maxAge == 5)
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
    func maxAge(_ text: String, _ seconds: Int?) throws {
        #expect(try parse("a=b; Max-Age=\(text)").maxAge == seconds)
    }

    @Test("prints neither value")
    func secret() throws {
        let cookie = try parse("sid=s3cret")
        var dumped = ""
        dump(cookie, to: &dumped)
        #expect(!"\(cookie) \(String(reflecting: cookie)) \(dumped)".contains("s3cret"))
    }
}
