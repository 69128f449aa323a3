import Foundation
import HTTPTypes

@testable import CoreAPICookies
@testable import CoreAPICore
@testable import CoreAPIHTTP

extension FuzzTarget {
    /// The address that answered on the first line, and below it one `Set-Cookie` a line (RFC 6265 §5.2).
    static let setCookie = FuzzTarget(name: "set-cookie") { input in
        var input = input
        guard let url = try? HTTPURL(input.lineOfText()) else { return }
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let jar = CookieJar(limitPerDomain: 4, limit: 8, suffixes: .loaded, now: { now })
        while !input.bytes.isEmpty {
            let line = Array(input.line())
            if let cookie = try? SetCookie(line) { check(cookie, from: line) }
            guard let field = HTTPField.Name("Set-Cookie") else { return }
            let lenient = HTTPField(name: field, lenientValue: line)
            _ = jar.store(ResponseHead(status: .ok, headers: HTTPFields([lenient])), from: url)
        }
        let domains = Dictionary(grouping: jar.cookies, by: \.domain)
        expect(jar.cookies.count <= 8 && domains.values.allSatisfy { $0.count <= 4 }, "no more cookies than may be")
        for cookie in jar.cookies {
            expect(CookieMatching.domain(cookie.domain, matches: url.host), "a cookie of one's own: \(cookie), \(url)")
            expect(!cookie.isSecure || url.scheme == .https, "no secure cookie from an insecure origin")
            expect(cookie.path.utf8.first == UInt8(ascii: "/"), "a path: \(cookie.path)")
            expect(cookie.expires ?? now <= now.addingTimeInterval(Cookie.longestLife), "no life without an end")
        }
        let sent = Array(jar.cookies(for: url).map(\.pair).joined(separator: "; ".utf8))
        expect(!sent.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }, "nothing that ends a line: \(sent)")
    }

    private static func check(_ cookie: SetCookie, from line: [UInt8]) {
        let (name, value) = (cookie.name, cookie.value.revealed)
        expect(name.count + value.count <= SetCookie.pairLimit, "a pair of a bounded size")
        expect(!(name + value).contains { $0 == 0x3B || ($0 < 0x20 && $0 != 0x09) }, "neither semicolons nor controls")
        var parts: [String] = []
        if let expires = cookie.expires {
            guard let text = HTTPDate.text(expires) else { return expect(false, "a date that can be written: \(expires)") }
            parts.append("Expires=\(text)")
        }
        if let seconds = cookie.maxAge { parts.append("max-age=\(seconds)") }
        if let domain = cookie.domain { parts.append("DOMAIN = .\(domain)") }
        if let path = cookie.path { parts.append("Path=\(path)") }
        if cookie.isSecure { parts.append("Secure") }
        if cookie.isHTTPOnly { parts.append(" httponly=x ") }
        if cookie.sameSite != .unspecified { parts.append("SameSite=\(cookie.sameSite.rawValue)") }
        // Text in ISO-8859-1 is longer in UTF-8.
        guard [cookie.domain, cookie.path].allSatisfy({ ($0?.utf8.count ?? 0) < SetCookie.attributeLimit }) else { return }
        let rendered = name + "=".utf8 + value + parts.map { "; " + $0 }.joined().utf8
        expect((try? SetCookie(rendered)) == cookie, "rendered and parsed again: \(String(octets: rendered).debugDescription)")
    }
}
