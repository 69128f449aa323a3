internal import CoreAPIHTTP
internal import Foundation

/// A parsed `Set-Cookie` line, by the lenient algorithm of RFC 6265bis §5.6. Whether its sender may set the cookie is checked
/// later. Pure and total.
struct SetCookie: Sendable, Hashable {
    static let pairLimit = 4_096
    static let attributeLimit = 1_024

    /// The bytes as received.
    let name: [UInt8]
    let value: Secret<[UInt8]>
    private(set) var expires: Date?
    /// In seconds; wins over ``expires``.
    private(set) var maxAge: Int?
    /// Without a leading dot, and in lower case if it is ASCII; `nil` if the line has none.
    private(set) var domain: String?
    /// `nil` for the default path of the request.
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite = Cookie.SameSite.unspecified

    init(_ line: some Collection<UInt8>) throws(Cookie.Rejection) {
        if let control = Self.control(in: line) { throw .controlCharacter(control) }
        var parts = line.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { Array($0)[...] }
        let pair = parts.removeFirst()
        let equals = pair.firstIndex(of: UInt8(ascii: "="))
        name = equals.map { Self.trimmed(pair[..<$0]) } ?? []
        value = Secret(Self.trimmed(equals.map { pair[($0 + 1)...] } ?? pair))
        let octets = name.count + value.revealed.count
        guard octets > 0 else { throw .empty }
        guard !name.isEmpty || !value.revealed.contains(UInt8(ascii: "=")) else { throw .namelessPair }
        guard octets <= Self.pairLimit else { throw .tooLong(octets: octets, limit: Self.pairLimit) }
        for part in parts {
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let value = Self.trimmed(part[equals...].dropFirst())
            guard value.count <= Self.attributeLimit else { continue }
            read(String(octets: Self.trimmed(part[..<equals])).lowercased(), String(octets: value))
        }
    }

    /// Of a repeated attribute the last wins. An unknown attribute is ignored.
    private mutating func read(_ attribute: String, _ value: String) {
        switch attribute {
        case "expires": if let date = CookieDate.date(value[...].utf8) { expires = date }
        case "max-age": if let seconds = Self.seconds(value) { maxAge = seconds }
        case "domain":
            let name = value.utf8.first == UInt8(ascii: ".") ? String(Substring(value.utf8.dropFirst())) : value
            // The Kelvin sign becomes a k in lower case. So text beyond ASCII is unchanged, and matches no host.
            domain = name.isEmpty ? nil : name.utf8.allSatisfy { $0 < 0x80 } ? name.lowercased() : name
        case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite":
            sameSite = Cookie.SameSite.allCases.first { $0.rawValue == value.lowercased() && $0 != .unspecified } ?? .unspecified
        default: break
        }
    }

    /// The first control character other than a tab.
    static func control(in line: some Collection<UInt8>) -> UInt8? { line.first { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F } }

    /// §5.6.2. Of a number that is too long only the sign counts.
    private static func seconds(_ text: String) -> Int? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text) ?? (text.utf8.first == UInt8(ascii: "-") ? .min : .max)
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        return bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    }
}

extension String {
    /// Octets without a charset, as readable text: UTF-8 if they are valid, else ISO-8859-1, in which every byte is a character.
    init(octets: some Collection<UInt8>) { self = String(validating: octets, as: UTF8.self) ?? String(latin1: octets) }
}

/// Dates in cookies (RFC 6265bis §5.1.1), read leniently: four parts in any order between any delimiters. Pure and total.
/// ``HTTPDate`` reads the dates of other header fields.
enum CookieDate {
    static func date(_ text: Substring.UTF8View) -> Date? {
        var clock: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in text.split(whereSeparator: isDelimiter) {
            if clock == nil, let found = time(token) {
                clock = found
            } else if day == nil, let found = number(token) {
                day = found
            } else if month == nil, let found = self.month(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let clock, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1_900 } else if (0...69).contains(year) { year += 2_000 }
        guard year >= 1_601 else { return nil }
        return GregorianDate.date(
            year: year, month: month, day: day, hour: clock.hour, minute: clock.minute, second: clock.second)
    }

    private typealias Token = Substring.UTF8View.SubSequence

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// The number at the start of a token, if it has so many digits and no further digit follows.
    private static func number(_ token: Token, digits: ClosedRange<Int> = 1...2) -> Int? {
        let text = token.prefix(while: \.isDigit)
        guard digits.contains(text.count) else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// `8:49:37`, followed by any text without a leading digit.
    private static func time(_ token: Token) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(\.isDigit), parts[1].allSatisfy(\.isDigit),
            let hour = number(parts[0]), let minute = number(parts[1]), let second = number(parts[2])
        else { return nil }
        return (hour, minute, second)
    }

    /// 1 for a token that begins with `jan` in any case.
    private static func month(_ token: Token) -> Int? {
        let name = token.prefix(3).map { $0 | 0x20 }
        return GregorianDate.months.firstIndex { $0.utf8.elementsEqual(name) }.map { $0 + 1 }
    }
}
