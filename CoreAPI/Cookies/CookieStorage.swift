internal import CoreAPIHTTP
internal import Foundation

/// The cookies of a jar by domain, and the rules about several of them (RFC 6265bis §5.7 and §5.8.3). A value: the jar keeps it
/// under its lock.
struct CookieStorage: Sendable {
    let limitPerDomain: Int
    let limit: Int
    private(set) var count = 0
    private var domains: [String: [Cookie]] = [:]
    /// No cookie expires before this, so that most insertions need not check all cookies.
    private var nextExpiry = Date.distantFuture

    init(limitPerDomain: Int, limit: Int) {
        self.limitPerDomain = limitPerDomain
        self.limit = limit
    }

    var all: [Cookie] {
        domains.values.joined().sorted { ($0.created, $0.domain, $0.name, $0.path) < ($1.created, $1.domain, $1.name, $1.path) }
    }

    /// Stores a cookie in place of the one with its identity; an expired cookie only removes that one.
    ///
    /// - Returns: whether the cookie is stored: not if it has expired, nor if the limits remove it at once.
    /// - Throws: ``Cookie/Rejection/overlaysSecure(name:)``.
    mutating func put(_ cookie: Cookie, isFromSecureOrigin: Bool, at now: Date) throws(Cookie.Rejection) -> Bool {
        // Expired cookies go first: one must neither block a new cookie nor pass on its creation date.
        if now >= nextExpiry {
            removeAll { $0.isExpired(at: now) }
            nextExpiry = domains.values.joined().compactMap(\.expires).min() ?? .distantFuture
        }
        guard isFromSecureOrigin || !overlaysSecure(cookie) else { throw .overlaysSecure(name: cookie.name) }
        let index = domains[cookie.domain]?.firstIndex { $0.identity == cookie.identity }
        if cookie.isExpired(at: now) {
            if let index { remove(from: cookie.domain, at: index) }
            return false
        }
        if let index {
            var cookie = cookie
            cookie.created = domains[cookie.domain]?[index].created ?? cookie.created
            domains[cookie.domain]?[index] = cookie
        } else {
            domains[cookie.domain, default: []].append(cookie)
            count += 1
        }
        if let expires = cookie.expires { nextExpiry = min(nextExpiry, expires) }
        evict(cookie.domain)
        return domains[cookie.domain]?.contains { $0.identity == cookie.identity } == true
    }

    /// §5.7: a cookie from clear text must not replace a secure cookie, nor be sent before one.
    private func overlaysSecure(_ cookie: Cookie) -> Bool {
        domains.contains { domain, cookies in
            (CookieMatching.domain(domain, matches: cookie.domain) || CookieMatching.domain(cookie.domain, matches: domain))
                && cookies.contains {
                    $0.isSecure && $0.nameBytes == cookie.nameBytes && CookieMatching.path($0.path, matches: cookie.path)
                }
        }
    }

    /// The cookies for an address: longer paths first, then the oldest.
    mutating func take(for url: HTTPURL, at now: Date) -> [Cookie] {
        guard count > 0 else { return [] }
        var found: [Cookie] = []
        for domain in CookieMatching.domains(of: url.host) {
            guard var cookies = domains[domain] else { continue }
            for index in cookies.indices where cookies[index].belongs(to: url, at: now) {
                cookies[index].lastAccessed = now
                found.append(cookies[index])
            }
            domains[domain] = cookies
        }
        // Stable, so that cookies of the same moment keep their order.
        return found.sorted { ($1.path.utf8.count, $0.created) < ($0.path.utf8.count, $1.created) }
    }

    mutating func removeAll(where isUnwanted: (Cookie) -> Bool) {
        for domain in Array(domains.keys) { removeAll(in: domain, where: isUnwanted) }
    }

    private mutating func removeAll(in domain: String, where isUnwanted: (Cookie) -> Bool) {
        guard let cookies = domains[domain] else { return }
        let kept = cookies.filter { !isUnwanted($0) }
        count -= cookies.count - kept.count
        domains[domain] = kept.isEmpty ? nil : kept
    }

    private mutating func remove(from domain: String, at index: Int) {
        domains[domain]?.remove(at: index)
        count -= 1
        if domains[domain]?.isEmpty == true { domains[domain] = nil }
    }

    // MARK: - Limits

    /// Makes room (§5.7). Expired cookies are already removed. In a domain with too many it removes cookies without `Secure`
    /// first, then others of the domain. If the jar has too many, it removes any. The least recently used goes first.
    private mutating func evict(_ domain: String) {
        while let cookies = domains[domain], cookies.count > limitPerDomain,
            let index = cookies.leastRecentlyUsed(where: { !$0.isSecure }) ?? cookies.leastRecentlyUsed(where: { _ in true })
        {
            remove(from: domain, at: index)
        }
        // Here, too, secure cookies are removed last, so that a host in clear text cannot remove all logins.
        while count > limit,
            let oldest = leastRecentlyUsed(where: { !$0.isSecure }) ?? leastRecentlyUsed(where: { _ in true })
        {
            remove(from: oldest.domain, at: oldest.index)
        }
    }

    private func leastRecentlyUsed(where isCandidate: (Cookie) -> Bool) -> (domain: String, index: Int)? {
        domains.compactMap { domain, cookies in
            cookies.leastRecentlyUsed(where: isCandidate).map { (domain, $0, cookies[$0].lastAccessed) }
        }
        .min { ($0.2, $0.0) < ($1.2, $1.0) }
        .map { ($0.0, $0.1) }
    }
}

extension Cookie {
    fileprivate func belongs(to url: HTTPURL, at now: Date) -> Bool {
        !isExpired(at: now) && (isHostOnly ? domain == url.host : CookieMatching.domain(domain, matches: url.host))
            && CookieMatching.path(path, matches: url.path) && (!isSecure || url.scheme == .https)
    }
}

extension [Cookie] {
    fileprivate func leastRecentlyUsed(where isCandidate: (Cookie) -> Bool) -> Int? {
        indices.filter { isCandidate(self[$0]) }.min { self[$0].lastAccessed < self[$1].lastAccessed }
    }
}
