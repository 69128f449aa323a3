internal import CoreAPIHTTP
internal import Foundation

/// The cookies of a jar by domain, and the rules about several of them (RFC 6265bis §5.7 and §5.8.3). A value: the jar keeps it
/// under its lock.
struct CookieStorage: Sendable {
    let limitPerDomain: Int
    let limit: Int
    private var domains: [String: [Cookie]] = [:]
    /// No cookie expires before this, so that most insertions need not check all cookies.
    private var nextExpiry = Date.distantFuture

    init(limitPerDomain: Int, limit: Int) { (self.limitPerDomain, self.limit) = (limitPerDomain, limit) }

    var all: [Cookie] {
        domains.values.joined().sorted { ($0.created, $0.domain, $0.name, $0.path) < ($1.created, $1.domain, $1.name, $1.path) }
    }

    /// Stores a cookie in place of the one that it replaces; an expired cookie only removes that one. Returns whether the cookie
    /// is stored: not if it has expired, nor if the limits remove it at once. Throws ``Cookie/Rejection/overlaysSecure(name:)``.
    mutating func put(_ cookie: Cookie, isFromSecureOrigin: Bool, at now: Date) throws(Cookie.Rejection) -> Bool {
        // Expired cookies go first: one must neither block a new cookie nor pass on its creation date.
        if now >= nextExpiry {
            removeAll { $0.isExpired(at: now) }
            nextExpiry = domains.values.joined().compactMap(\.expires).min() ?? .distantFuture
        }
        guard isFromSecureOrigin || !overlaysSecure(cookie) else { throw .overlaysSecure(name: cookie.name) }
        var cookies = domains[cookie.domain] ?? []
        let isLive = !cookie.isExpired(at: now)
        if let old = cookies.firstIndex(where: { cookie.replaces($0) }) {
            var cookie = cookie
            cookie.created = cookies[old].created
            cookies.replaceSubrange(old...old, with: isLive ? [cookie] : [])
        } else if isLive {
            cookies.append(cookie)
        }
        domains[cookie.domain] = cookies.isEmpty ? nil : cookies
        guard isLive else { return false }
        if let expires = cookie.expires { nextExpiry = min(nextExpiry, expires) }
        evict(cookie.domain)
        return domains[cookie.domain]?.contains { cookie.replaces($0) } == true
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
        guard !domains.isEmpty else { return [] }
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
        domains = domains.mapValues { $0.filter { !isUnwanted($0) } }.filter { !$0.value.isEmpty }
    }

    /// Makes room (§5.7), in the domain and then in the jar. Expired cookies are already removed.
    private mutating func evict(_ domain: String) {
        while domains[domain, default: []].count > limitPerDomain { removeLeastRecentlyUsed(in: [domain]) }
        while domains.values.reduce(0, { $0 + $1.count }) > limit { removeLeastRecentlyUsed(in: Array(domains.keys)) }
    }

    /// Secure cookies are removed last, so that a host in clear text cannot remove all logins.
    private mutating func removeLeastRecentlyUsed(in names: [String]) {
        func rank(_ cookie: Cookie) -> (Int, Date, String) { (cookie.isSecure ? 1 : 0, cookie.lastAccessed, cookie.domain) }
        guard let oldest = names.flatMap({ domains[$0] ?? [] }).min(by: { rank($0) < rank($1) }) else { return }
        domains[oldest.domain]?.removeAll { oldest.replaces($0) }
        if domains[oldest.domain]?.isEmpty == true { domains[oldest.domain] = nil }
    }
}

extension Cookie {
    fileprivate func belongs(to url: HTTPURL, at now: Date) -> Bool {
        !isExpired(at: now) && (isHostOnly ? domain == url.host : CookieMatching.domain(domain, matches: url.host))
            && CookieMatching.path(path, matches: url.path) && (!isSecure || url.scheme == .https)
    }
}

/// Matches hosts and paths with cookies. Hosts are those of ``HTTPURL``: in lower case, ASCII, an IPv6 address in brackets.
enum CookieMatching {
    /// RFC 6265bis §5.1.3: the same, or a host below the domain. An address has no hosts below it.
    static func domain(_ domain: String, matches host: String) -> Bool {
        let (domain, name) = (domain.utf8, host.utf8)
        if name.elementsEqual(domain) { return true }
        guard !domain.isEmpty, name.count > domain.count, name.suffix(domain.count).elementsEqual(domain) else { return false }
        return name.dropLast(domain.count).last == UInt8(ascii: ".") && !isAddress(host)
    }

    static func isAddress(_ host: String) -> Bool { host.hasPrefix("[") || IPAddress.isIPv4(host) }

    /// §5.1.4: the same, or a path below.
    static func path(_ path: String, matches requested: String) -> Bool {
        let (path, requested) = (path.utf8, requested.utf8)
        guard requested.starts(with: path) else { return false }
        let rest = requested.dropFirst(path.count)
        return rest.isEmpty || path.last == UInt8(ascii: "/") || rest.first == UInt8(ascii: "/")
    }

    /// §5.1.4: the directory of the address that set the cookie.
    static func defaultPath(of requested: String) -> String {
        guard let slash = requested.lastIndex(of: "/"), slash > requested.startIndex else { return "/" }
        return String(requested[..<slash])
    }

    /// The host itself and the domains above it, nearest first.
    static func domains(of host: String) -> [String] {
        guard !isAddress(host) else { return [host] }
        let above = host.indices.filter { host[$0] == "." }.map { String(host[$0...].dropFirst()) }
        return [host] + above.filter { !$0.isEmpty }
    }
}
