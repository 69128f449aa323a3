internal import CoreAPIHTTP
internal import Foundation

/// A parsed `Set-Cookie` line, by the lenient algorithm of RFC 6265bis §5.6. Whether its sender may set the cookie is checked
/// later. Pure and total.
struct SetCookie: Sendable, Hashable {
    static let pairLimit = 4_096
    static let attributeLimit = 1_024

    /// The bytes as received.
    let name: [UInt8]
    /// The bytes as received.
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

    /// - Throws: ``Cookie/Rejection`` for a line that no sender may set.
    init(_ line: some Collection<UInt8>) throws(Cookie.Rejection) {
        if let control = line.first(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) { throw .controlCharacter(control) }
        var parts = line.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { Array($0)[...] }
        let pair = parts.removeFirst()
        if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
            name = Array(Self.trimmed(pair[..<equals]))
            value = Secret(Array(Self.trimmed(pair[(equals + 1)...])))
        } else {
            name = []
            value = Secret(Array(Self.trimmed(pair)))
        }
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

    /// §5.6.2. Of a number that is too long only the sign counts.
    private static func seconds(_ text: String) -> Int? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text) ?? (text.utf8.first == UInt8(ascii: "-") ? .min : .max)
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes = bytes.dropFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes = bytes.dropLast() }
        return bytes
    }
}

extension String {
    /// Octets without a charset, as readable text: UTF-8 if they are valid, else ISO-8859-1, in which every byte is a character.
    init(octets: some Collection<UInt8>) {
        self = String(validating: octets, as: UTF8.self) ?? String(latin1: octets)
    }

    /// Each byte is the character of its number.
    init(latin1 octets: some Collection<UInt8>) {
        self.init(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) }))
    }
}
