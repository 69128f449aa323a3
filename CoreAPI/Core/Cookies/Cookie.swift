public import Foundation

/// One cookie of a ``CookieJar``, as RFC 6265bis §5.7 keeps it.
///
/// Its value is a secret and prints as one; everything else may be shown.
public struct Cookie: Sendable, Hashable {
    /// Whom a site wants to see its cookie sent by (§5.6.7). Recorded and nothing more: the kit has no pages, so no request of its is
    /// made on behalf of another site.
    public enum SameSite: String, Sendable, Hashable, CaseIterable {
        case strict, lax, none
        /// Nothing that is known was said.
        case unspecified
    }

    /// May be empty; such a cookie is sent as its value alone.
    public let name: String
    /// Neither it nor the name holds a control character other than a tab.
    public let value: Secret<String>
    /// In lower case, without a leading dot.
    public let domain: String
    /// Whether only ``domain`` itself gets the cookie, and no host below it.
    public let isHostOnly: Bool
    /// The cookie goes to this path and to those below it.
    public let path: String
    /// `nil` for a cookie that lives as long as the session, which is as long as the jar.
    public internal(set) var expires: Date?
    /// Whether it goes over https only.
    public let isSecure: Bool
    /// Whether it is kept from scripts. Recorded; the kit has none.
    public let isHTTPOnly: Bool
    public let sameSite: SameSite
    /// When it was first set; setting it again keeps this.
    public internal(set) var created: Date
    /// When it was set or last sent.
    public internal(set) var lastAccessed: Date

    /// What tells cookies apart: a new one replaces the old one in which all of this is the same (§5.7).
    struct Identity: Hashable {
        let name: String
        let domain: String
        let isHostOnly: Bool
        let path: String
    }

    var identity: Identity { Identity(name: name, domain: domain, isHostOnly: isHostOnly, path: path) }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// As in a `Cookie` header (§5.8.3).
    var pair: String { name.isEmpty ? value.revealed : "\(name)=\(value.revealed)" }
}

extension Cookie: CustomStringConvertible {
    /// As a `Set-Cookie` line shows it, with the value hidden.
    public var description: String {
        var parts = ["\(name)=\(value)", "Domain=\(domain)" + (isHostOnly ? " only" : ""), "Path=\(path)"]
        if let expires { parts.append("Expires=\(expires.formatted(.iso8601))") }
        if isSecure { parts.append("Secure") }
        if isHTTPOnly { parts.append("HttpOnly") }
        if sameSite != .unspecified { parts.append("SameSite=\(sameSite.rawValue)") }
        return parts.joined(separator: "; ")
    }
}
