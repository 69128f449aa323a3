internal import Foundation

/// A `Set-Cookie` line taken apart, by the lenient algorithm of RFC 6265bis §5.6: what the line says, not yet whether its sender may
/// say it. Pure and total.
struct SetCookie: Sendable, Hashable {
    static let pairLimit = 4_096
    static let attributeLimit = 1_024

    let name: String
    let value: Secret<String>
    private(set) var expires: Date?
    /// In seconds; counts before ``expires``.
    private(set) var maxAge: Int?
    /// Without a leading dot, and in lower case if it is ASCII; `nil` when none was named.
    private(set) var domain: String?
    /// `nil` for the default path of the request.
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite = Cookie.SameSite.unspecified

    /// - Throws: ``CookieRefusal`` for what cannot be a cookie, whoever sends it.
    init(_ line: some Collection<UInt8>) throws(CookieRefusal) {
        if let control = line.first(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) { throw .controlCharacter(control) }
        guard let text = String(validating: line, as: UTF8.self) else { throw .notUTF8 }
        var parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let pair = parts.removeFirst()
        if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
            name = Self.trimmed(pair[..<equals])
            value = Secret(Self.trimmed(pair[pair.index(after: equals)...]))
        } else {
            name = ""
            value = Secret(Self.trimmed(pair))
        }
        let octets = name.utf8.count + value.revealed.utf8.count
        guard octets > 0 else { throw .empty }
        guard !name.isEmpty || !value.revealed.utf8.contains(UInt8(ascii: "=")) else { throw .namelessPair }
        guard octets <= Self.pairLimit else { throw .tooLong(octets: octets, limit: Self.pairLimit) }
        for part in parts {
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let value = Self.trimmed(part[equals...].dropFirst())
            guard value.utf8.count <= Self.attributeLimit else { continue }
            read(Self.trimmed(part[..<equals]).lowercased(), value)
        }
    }

    /// Of an attribute that stands in the line more than once, the last counts. One that is unknown means nothing.
    private mutating func read(_ attribute: String, _ value: String) {
        switch attribute {
        case "expires": if let date = CookieDate.date(value[...].utf8) { expires = date }
        case "max-age": if let seconds = Self.seconds(value) { maxAge = seconds }
        case "domain":
            let name = value.utf8.first == UInt8(ascii: ".") ? String(Substring(value.utf8.dropFirst())) : value
            // The Kelvin sign is a k in lower case: what is not ASCII stays, so that it matches no host.
            domain = name.isEmpty ? nil : name.utf8.allSatisfy { $0 < 0x80 } ? name.lowercased() : name
        case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite":
            sameSite = Cookie.SameSite.allCases.first { $0.rawValue == value.lowercased() && $0 != .unspecified } ?? .unspecified
        default: break
        }
    }

    /// §5.6.2. A number that is too long to be one says only in which direction.
    private static func seconds(_ text: String) -> Int? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text) ?? (text.utf8.first == UInt8(ascii: "-") ? .min : .max)
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> String {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes = bytes.dropFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes = bytes.dropLast() }
        return String(Substring(bytes))
    }
}
