public import CoreAPIHTTP
public import Foundation

/// One cookie of a ``CookieJar``, with the attributes of RFC 6265bis §5.7.
///
/// Its value is a secret and prints as one; everything else may be shown.
public struct Cookie: Sendable, Hashable, CustomStringConvertible {
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

    /// Whether it takes the place of another one (§5.7). Paths that are equal in Unicode but differ in bytes are two paths.
    func replaces(_ other: Cookie) -> Bool {
        nameBytes == other.nameBytes && domain == other.domain && isHostOnly == other.isHostOnly
            && path.utf8.elementsEqual(other.path.utf8)
    }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// The `name=value` pair of a `Cookie` header (§5.8.3).
    package var pair: [UInt8] { nameBytes.isEmpty ? valueBytes.revealed : nameBytes + "=".utf8 + valueBytes.revealed }

    /// ``nameBytes`` as text: UTF-8, else ISO-8859-1.
    public var name: String { String(octets: nameBytes) }
    /// ``valueBytes`` as text: UTF-8, else ISO-8859-1.
    public var value: Secret<String> { Secret(String(octets: valueBytes.revealed)) }

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

extension Cookie {
    /// The longest life of a cookie (RFC 6265bis §5.6.1).
    static let longestLife: TimeInterval = 400 * 86_400

    /// The cookie that a response sets, if it is allowed: the checks of §5.7 that need no other cookies. Without a list of
    /// suffixes the only accepted domain is the host's own name, and the cookie is for the host only.
    init(_ line: SetCookie, from url: HTTPURL, at now: Date, suffixes: PublicSuffixList?) throws(Cookie.Rejection) {
        let shared = try Self.sharedDomain(line, host: url.host, suffixes: suffixes)
        self.init(
            nameBytes: line.name, valueBytes: line.value, domain: shared ?? url.host, isHostOnly: shared == nil,
            path: line.path ?? CookieMatching.defaultPath(of: url.path), expires: Self.expiry(of: line, at: now),
            isSecure: line.isSecure, isHTTPOnly: line.isHTTPOnly, sameSite: line.sameSite, created: now, lastAccessed: now)
        guard !isSecure || url.scheme == .https else { throw .secureFromInsecureOrigin }
        guard sameSite != .none || isSecure else { throw .sameSiteNoneWithoutSecure }
        try checkPrefix(namesPath: line.path != nil)
    }

    /// The domain whose hosts share the cookie; `nil` if it is for the host only.
    private static func sharedDomain(
        _ line: SetCookie, host: String, suffixes: PublicSuffixList?
    ) throws(Cookie.Rejection) -> String? {
        guard let domain = line.domain else { return nil }
        guard CookieMatching.domain(domain, matches: host) else { throw .foreignDomain(domain.escapingControls, host: host) }
        if CookieMatching.isAddress(host) { return nil }
        // A resolver treats `com.` as `com`, but a list does not.
        if let suffixes, !domain.hasSuffix("."), !suffixes.contains(domain) {
            guard suffixes.accepts(domain, host) else { throw .publicSuffix(domain) }
            return domain
        }
        guard domain == host else { throw suffixes == nil ? .unknownSuffix(domain) : .publicSuffix(domain) }
        return nil
    }

    private static func expiry(of line: SetCookie, at now: Date) -> Date? {
        if let seconds = line.maxAge, seconds <= 0 { return .distantPast }
        let expiry = line.maxAge.map { now.addingTimeInterval(TimeInterval($0)) } ?? line.expires
        return expiry.map { min(now.addingTimeInterval(longestLife), $0) }
    }

    /// §4.1.3, compared without case because servers read names that way.
    func checkPrefix(namesPath: Bool) throws(Cookie.Rejection) {
        let claim = (nameBytes.isEmpty ? valueBytes.revealed : nameBytes).map { $0.isLetter ? $0 | 0x20 : $0 }
        guard let prefix = ["__Secure-", "__Host-"].first(where: { claim.starts(with: $0.lowercased().utf8) }) else { return }
        // A cookie without a name is sent as its value, which may read like another cookie's name.
        let isKept = !nameBytes.isEmpty && isSecure && (prefix == "__Secure-" || (isHostOnly && namesPath && path == "/"))
        guard isKept else { throw .prefix(prefix) }
    }

    /// Why a `Set-Cookie` line was rejected (RFC 6265bis §5.6 and §5.7). Never contains the cookie's value.
    public enum Rejection: Error, Hashable, Sendable, LocalizedError {
        /// A control character other than a tab, anywhere in the line.
        case controlCharacter(UInt8)
        /// Neither a name nor a value.
        case empty
        /// No name, and a value with `=`: it would be sent as the cookie of another name.
        case namelessPair
        /// Name and value together are longer than `limit` octets.
        case tooLong(octets: Int, limit: Int)
        /// The host that set the cookie does not belong to the domain that it names.
        case foreignDomain(String, host: String)
        /// A domain under which anyone may register a host, such as `co.uk`.
        case publicSuffix(String)
        /// The domain cannot be checked, because there is no list of public suffixes.
        case unknownSuffix(String)
        /// A `Secure` cookie received over http.
        case secureFromInsecureOrigin
        /// A cookie from http that would hide a `Secure` one.
        case overlaysSecure(name: String)
        /// `SameSite=None` without `Secure`.
        case sameSiteNoneWithoutSecure
        /// A name, or the value of a cookie without a name, begins with `__Secure-` or `__Host-`, and the cookie lacks the
        /// required attributes.
        case prefix(String)

        public var errorDescription: String? {
            switch self {
            case .controlCharacter(let byte):
                "expected a Set-Cookie line without control characters, got 0x\(String(byte, radix: 16))"
            case .empty: "expected a cookie with a name or a value, got neither"
            case .namelessPair: "expected a name before '=', got none, and a value that reads like another cookie"
            case .tooLong(let octets, let limit):
                "expected a cookie of at most \(limit) octets, name and value together, got \(octets)"
            case .foreignDomain(let domain, let host): "the host '\(host)' may not set a cookie for the domain '\(domain)'"
            case .publicSuffix(let domain): "a cookie for the public suffix '\(domain)' would go to all hosts below it"
            case .unknownSuffix(let domain):
                "whether '\(domain)' is a public suffix is unknown, because libcurl was built without libpsl; "
                    + "only a host's own name is accepted"
            case .secureFromInsecureOrigin: "a Secure cookie was set over http"
            case .overlaysSecure(let name): "the cookie '\(name)', set over http, would hide a Secure cookie"
            case .sameSiteNoneWithoutSecure: "SameSite=None was set without Secure"
            case .prefix(let prefix):
                "the prefix \(prefix) needs a named cookie with "
                    + (prefix == "__Host-" ? "Secure, Path=/ and no Domain" : "Secure")
            }
        }
    }
}
