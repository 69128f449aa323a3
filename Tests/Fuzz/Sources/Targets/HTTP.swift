import CoreAPI
import Foundation

@testable import CoreAPICookies
@testable import CoreAPICore
@testable import CoreAPIHTTP

extension FuzzTarget {
    /// An address on the first line, the reference of a `Location` on the second, a path to append on the third.
    static let address = FuzzTarget(name: "address") { input in
        let (text, reference, path) = (input.lineOfText(), input.lineOfText(), input.lineOfText())
        guard let url = try? HTTPURL(text) else { return }
        check(url)
        if let target = try? url.resolving(reference) {
            check(target)
            // A resolved address is absolute, and has the same meaning for every reader.
            expect((try? url.resolving(target.string)) == target.withoutDefaultPort, "resolved again: \(target)")
        }
        var longer = url
        if (try? longer.append(path: path)) != nil {
            check(longer)
            expect(
                longer.hasSameOrigin(as: url) && longer.path.hasPrefix(url.path.dropLast(url.path.hasSuffix("/") ? 1 : 0)),
                "a path stays below its base: \(longer)")
        }
        longer.appendQuery(reference, path)
        check(longer)
        _ = Redaction().redact(url: longer)
    }

    private static func check(_ url: HTTPURL) {
        expect((try? HTTPURL(url.string)) == url.withoutDefaultPort, "parsed again: \(url)")
        let string = url.string
        expect(string.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "visible ASCII: \(url)")
        expect(!string.contains { "\\#\"<>^`{|}".contains($0) }, "nothing that another parser reads differently: \(url)")
        expect(!url.authority.contains("@") && url.path.hasPrefix("/") && !url.path.hasDotSegment, "a plain target: \(url)")
        expect(url.effectivePort > 0, "a port")
        for item in url.queryItems { expect(item.name.utf8.count <= 3 * string.utf8.count, "a name is a part of the query") }
    }

    /// A `Content-Type` on the first line, and a body in the charset that it names below it.
    static let mediaType = FuzzTarget(name: "media-type") { input in
        let line = input.lineOfText()
        guard let type = MediaType(line) else { return }
        let written = type.essence.utf8.count + type.parameters.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        // Lower case can take more bytes than what it is made from.
        expect(written <= 3 * line.utf8.count, "no more comes out than went in")
        checkRendered(type)
        if let name = type.parameters["charset"] { check(name, input.data) }
    }

    /// Only values made of tokens can be written.
    private static func checkRendered(_ type: MediaType) {
        guard (Array(type.parameters.keys) + type.essence.split(separator: "/").map(String.init)).allSatisfy({ $0.isToken })
        else { return }
        let rendered = type.parameters.reduce(into: type.essence) { text, parameter in
            text += "; \(parameter.key)=\(parameter.value.quoted)"
        }
        expect(MediaType(rendered) == type, "rendered and parsed again: \(rendered.debugDescription)")
    }

    private static func check(_ name: String, _ body: Data) {
        guard let charset = try? Charset(named: name) else { return }
        expect((try? Charset(named: charset.name)) == charset, "a charset is found by its own name")
        guard let text = try? charset.text(of: body) else { return }
        expect(text.utf8.count <= 3 * body.count, "a byte becomes three at the most")
        switch form(of: body, named: charset.name.filter { $0 != "-" && $0 != "_" }) {
        case "utf8", "usascii", "ascii":
            let mark = Data([0xEF, 0xBB, 0xBF])
            expect(Data(text.utf8) == (body.starts(with: mark) ? body.dropFirst(3) : body), "UTF-8 stays as it is")
        case "utf16":
            expect((0...1).contains(body.count / 2 - text.utf16.count), "UTF-16 stays as it is, but for a mark")
        case "utf32":
            expect((0...1).contains(body.count / 4 - text.unicodeScalars.count), "UTF-32 stays as it is, but for a mark")
        default: expect(text.unicodeScalars.count <= body.count, "a character takes a byte or more")
        }
    }

    /// The encoding that a byte order mark names, else the charset's (WHATWG Encoding §6).
    private static func form(of body: Data, named key: String) -> String {
        let isUTF32 = key.hasPrefix("utf32")
        if isUTF32, body.starts(with: [0, 0, 0xFE, 0xFF]) { return "utf32" }
        if isUTF32, key != "utf32be", body.starts(with: [0xFF, 0xFE, 0, 0]) { return "utf32" }
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { return "utf8" }
        if body.starts(with: [0xFE, 0xFF]) || body.starts(with: [0xFF, 0xFE]) { return "utf16" }
        return isUTF32 ? "utf32" : key.hasPrefix("utf16") ? "utf16" : key
    }

    /// `Retry-After`, seconds or a date (RFC 9110 §10.2.3), and HTTP dates in their three forms (§5.6.7).
    static let httpDate = FuzzTarget(name: "http-date") { input in
        let text = input.text
        if let pause = RetryAfter.pause(text) {
            expect((.zero ... .seconds(86_400)).contains(pause), "a pause from nothing to a day, got \(pause)")
        }
        guard let date = HTTPDate.date(text) else { return }
        expect(date.timeIntervalSince1970.rounded() == date.timeIntervalSince1970, "whole seconds")
        // A leap second at the end of the year 9999 belongs to the year 10000, which has no text.
        guard let rendered = HTTPDate.text(date) else { return expect(text.contains("60"), "a year of four digits: \(date)") }
        expect(HTTPDate.date(rendered) == date, "rendered and parsed again: \(rendered)")
        let words = text.split { " ,-".contains($0) }
        // The day is the first number of each form, with a weekday or without.
        let day = words.first { $0.allSatisfy(\.isNumber) }.flatMap { Int($0) }
        expect(
            text.contains("60") || day.map { rendered.hasPrefix("Mon, \($0 < 10 ? "0" : "")\($0) ") } ?? false,
            "the day that was written: \(rendered)")
    }

    /// `WWW-Authenticate` (RFC 9110 §11.6.1).
    static let challenge = FuzzTarget(name: "challenge") { input in
        let line = input.text
        guard let challenges = try? AuthenticationChallenge.parse(line) else { return }
        let texts = challenges.flatMap { [$0.scheme, $0.token68 ?? ""] + $0.parameters.flatMap { [$0, $1] } }
        expect(texts.reduce(0) { $0 + $1.utf8.count } <= 3 * line.utf8.count, "no more comes out than went in")
        for text in texts { expect(text.firstForbiddenControl == nil, "no control characters in \(text.debugDescription)") }

        let rendered = challenges.map { challenge in
            let parameters = challenge.parameters.map { name, value in "\(name)=\(value.quoted)" }
            return "\(challenge.scheme) " + (challenge.token68.map { [$0] } ?? parameters).joined(separator: ", ")
        }
        let text = rendered.joined(separator: ", ")
        expect((try? AuthenticationChallenge.parse(text)) == challenges, "rendered and parsed again: \(text.debugDescription)")
    }

    /// The address that answered on the first line, and below it one `Set-Cookie` a line (RFC 6265 §5.2).
    static let setCookie = FuzzTarget(name: "set-cookie") { input in
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

extension HTTPURL {
    /// The default port is not written.
    fileprivate var withoutDefaultPort: HTTPURL {
        var url = self
        if port == scheme.defaultPort { url.port = nil }
        return url
    }
}

extension String {
    /// As a quoted string (RFC 9110 §5.6.4), scalar by scalar: a combining character makes another letter of a quote.
    var quoted: String {
        var text = "\"".unicodeScalars
        for scalar in unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text.append("\\") }
            text.append(scalar)
        }
        text.append("\"")
        return String(text)
    }

    /// RFC 9110 §5.6.2.
    fileprivate var isToken: Bool {
        !isEmpty && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
    }
}

extension HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The preferred form (RFC 9110 §5.6.7), computed without the parser's calendar; `nil` beyond the year 9999. The weekday is
    /// always Monday, because the parser ignores it.
    static func text(_ date: Date) -> String? {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let (days, clock) = (Int((Double(seconds) / 86_400).rounded(.down)), ((seconds % 86_400) + 86_400) % 86_400)
        let (year, month, day) = civil(fromDays: days)
        guard (1_000...9_999).contains(year) else { return nil }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = "\(two(clock / 3_600)):\(two(clock / 60 % 60)):\(two(clock % 60))"
        return "Mon, \(two(day)) \(months[month - 1]) \(year) \(time) GMT"
    }

    /// The proleptic Gregorian calendar, by eras of 400 years that begin in March.
    private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = Int((Double(shifted) / 146_097).rounded(.down))
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}
