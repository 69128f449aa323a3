internal import CoreAPIHTTP
internal import Foundation

extension Cookie {
    /// The longest life of a cookie (RFC 6265bis §5.6.1).
    static let longestLife: TimeInterval = 400 * 86_400

    /// The cookie that a response sets, if it is allowed: the checks of §5.7 that need no other cookies.
    ///
    /// - Parameter suffixes: `nil` without a list. Then the only accepted domain is the host's own name, and the cookie is for
    ///   the host only.
    /// - Throws: ``Cookie/Rejection``.
    init(_ line: SetCookie, from url: HTTPURL, at now: Date, suffixes: PublicSuffixList?) throws(Cookie.Rejection) {
        nameBytes = line.name
        valueBytes = line.value
        let shared = try Self.sharedDomain(line, host: url.host, suffixes: suffixes)
        domain = shared ?? url.host
        isHostOnly = shared == nil
        path = line.path ?? CookieMatching.defaultPath(of: url.path)
        expires = Self.expiry(of: line, at: now)
        isSecure = line.isSecure
        isHTTPOnly = line.isHTTPOnly
        sameSite = line.sameSite
        created = now
        lastAccessed = now
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
        guard let suffixes else {
            guard domain == host else { throw .unknownSuffix(domain) }
            return nil
        }
        // A resolver treats `com.` as `com`, but a list does not.
        if domain.hasSuffix(".") || suffixes.contains(domain) {
            guard domain == host else { throw .publicSuffix(domain) }
            return nil
        }
        guard suffixes.accepts(domain, host) else { throw .publicSuffix(domain) }
        return domain
    }

    private static func expiry(of line: SetCookie, at now: Date) -> Date? {
        let latest = now.addingTimeInterval(longestLife)
        if let seconds = line.maxAge {
            return seconds <= 0 ? .distantPast : min(latest, now.addingTimeInterval(TimeInterval(seconds)))
        }
        return line.expires.map { min(latest, $0) }
    }

    /// §4.1.3, compared without case because servers read names that way.
    func checkPrefix(namesPath: Bool) throws(Cookie.Rejection) {
        let claim = (nameBytes.isEmpty ? valueBytes.revealed : nameBytes).map { $0.isLetter ? $0 | 0x20 : $0 }
        guard let prefix = ["__Secure-", "__Host-"].first(where: { claim.starts(with: $0.lowercased().utf8) }) else { return }
        // A cookie without a name is sent as its value, which may read like another cookie's name.
        let isKept = !nameBytes.isEmpty && isSecure && (prefix == "__Secure-" || (isHostOnly && namesPath && path == "/"))
        guard isKept else { throw .prefix(prefix) }
    }
}
