internal import CoreAPIHTTP

/// Matches hosts and paths with cookies. Hosts are those of ``HTTPURL``: in lower case, ASCII, an IPv6 address in brackets.
enum CookieMatching {
    /// RFC 6265bis §5.1.3: the same, or a host below the domain. An address has no hosts below it.
    static func domain(_ domain: String, matches host: String) -> Bool {
        let (domain, name) = (domain.utf8, host.utf8)
        if name.elementsEqual(domain) { return true }
        guard !domain.isEmpty, name.count > domain.count, name.suffix(domain.count).elementsEqual(domain) else { return false }
        return name.dropLast(domain.count).last == UInt8(ascii: ".") && !isAddress(host)
    }

    static func isAddress(_ host: String) -> Bool {
        host.hasPrefix("[") || IPAddress.isIPv4(host)
    }

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
        var domains = [host]
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if !rest.isEmpty { domains.append(String(rest)) }
        }
        return domains
    }
}
