public import CoreAPIHTTP
public import Foundation

/// One cookie of a ``CookieJar``, with the attributes of RFC 6265bis §5.7.
///
/// Its value is a secret and prints as one; everything else may be shown.
public struct Cookie: Sendable, Hashable {
    /// The sites whose requests may carry the cookie (§5.6.7). Recorded only: the kit has no pages, so it makes no request
    /// on behalf of another site.
    public enum SameSite: String, Sendable, Hashable, CaseIterable {
        /// Only with requests of the same site.
        case strict
        /// Also when a user follows a link from another site.
        case lax
        /// Also with requests that another site makes.
        case none
        /// No known value was given.
        case unspecified
    }

    /// The name's bytes as received, in UTF-8, ISO-8859-1 or any other charset: cookies declare none. These bytes are matched and
    /// sent. May be empty; such a cookie is sent as its value only.
    public let nameBytes: [UInt8]
    /// The value's bytes as received and as sent, quotes included. Neither these bytes nor those of the name contain a control
    /// character other than a tab.
    public let valueBytes: Secret<[UInt8]>
    /// In lower case, without a leading dot.
    public let domain: String
    /// Whether only ``domain`` itself gets the cookie, and no host below it.
    public let isHostOnly: Bool
    /// The cookie goes to this path and to those below it.
    public let path: String
    /// `nil` for a session cookie, which lives as long as the jar.
    public internal(set) var expires: Date?
    /// Whether it is sent over https only.
    public let isSecure: Bool
    /// Whether it is hidden from scripts. Recorded only; the kit has no scripts.
    public let isHTTPOnly: Bool
    /// When the cookie may be sent on behalf of another site.
    public let sameSite: SameSite
    /// When it was first set; setting it again keeps this.
    public internal(set) var created: Date
    /// When it was set or last sent.
    public internal(set) var lastAccessed: Date

    /// The identity of a cookie: a new cookie replaces the old one of the same identity (§5.7).
    struct Identity: Hashable {
        let name: [UInt8]
        let domain: String
        let isHostOnly: Bool
        /// As bytes: paths that are equal in Unicode but differ in bytes are two paths.
        let path: [UInt8]
    }

    var identity: Identity { Identity(name: nameBytes, domain: domain, isHostOnly: isHostOnly, path: Array(path.utf8)) }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// The `name=value` pair of a `Cookie` header (§5.8.3).
    package var pair: [UInt8] { nameBytes.isEmpty ? valueBytes.revealed : nameBytes + "=".utf8 + valueBytes.revealed }
}

extension Cookie {
    /// ``nameBytes`` as text: UTF-8, else ISO-8859-1.
    public var name: String { String(octets: nameBytes) }
    /// ``valueBytes`` as text: UTF-8, else ISO-8859-1.
    public var value: Secret<String> { Secret(String(octets: valueBytes.revealed)) }
}

extension Cookie: CustomStringConvertible {
    /// The form of a `Set-Cookie` line, with the value hidden.
    public var description: String {
        var parts = ["\(name.escapingControls)=\(value)", "Domain=\(domain)" + (isHostOnly ? " only" : ""), "Path=\(path)"]
        if let expires { parts.append("Expires=\(expires.formatted(.iso8601))") }
        if isSecure { parts.append("Secure") }
        if isHTTPOnly { parts.append("HttpOnly") }
        if sameSite != .unspecified { parts.append("SameSite=\(sameSite.rawValue)") }
        return parts.joined(separator: "; ")
    }
}
