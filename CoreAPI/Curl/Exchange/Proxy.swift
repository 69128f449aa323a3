internal import CoreAPICore
package import CoreAPIHTTP
internal import Foundation

/// A proxy from the process's environment. The kit chooses it instead of libcurl, so that an error can name the variable.
package final class Proxy: Sendable {
    /// The variable: `https_proxy`.
    package let source: String
    /// The variable's value, including credentials (`CURLOPT_PROXY`).
    let address: String

    init(source: String, address: String) { (self.source, self.address) = (source, address) }

    /// Whether a request in clear text goes to it with its whole address (RFC 9112 §3.2.2). A SOCKS proxy only passes bytes on.
    package var speaksHTTP: Bool { !address.lowercased().hasPrefix("socks") }
    /// Whether it resolves the server's name; otherwise this machine does.
    var resolvesNames: Bool { speaksHTTP || ["socks4a:", "socks5h:"].contains { address.lowercased().hasPrefix($0) } }
    /// Whether libcurl sends credentials to it, empty ones included.
    // In UTF-8: Foundation's `contains` of a text would link all of Foundation.
    var hasCredentials: Bool { address.utf8.contains(UInt8(ascii: "@")) }

    /// Host and port, without credentials.
    package var host: String {
        var rest = address[...]
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
        // Credentials may contain characters that end a host.
        if let end = rest.lastIndex(of: "@") { rest = rest[rest.index(after: end)...] }
        return rest.prefix { !"/?#".contains($0) }.description.escapingControls
    }
}

/// Selects the environment's proxy for a host, by the rules of libcurl and most other clients.
///
/// `http_proxy` for http; `https_proxy` or `HTTPS_PROXY` for https; else `all_proxy` or `ALL_PROXY`. `HTTP_PROXY` is not read: in
/// a CGI program it is a header field of the request. `no_proxy` or `NO_PROXY` lists hosts that are reached without a proxy
/// (``ProxyException``).
package struct ProxyEnvironment: Sendable {
    /// The process's; `nil` without a proxy. Read once, because an environment must not change once there are threads. libcurl
    /// would read it for each request, which costs 3,000 instructions.
    package static let current = ProxyEnvironment(ProcessInfo.processInfo.environment)

    private let http: Proxy?
    private let https: Proxy?
    private let exceptions: [ProxyException]

    /// - Returns: `nil` if the variables name no proxy.
    init?(_ variables: [String: String]) {
        func first(_ names: String...) -> Proxy? {
            for name in names {
                if let address = variables[name], !address.isEmpty { return Proxy(source: name, address: address) }
            }
            return nil
        }
        http = first("http_proxy", "all_proxy", "ALL_PROXY")
        https = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        guard http != nil || https != nil else { return nil }
        let list = ["no_proxy", "NO_PROXY"].lazy.compactMap { variables[$0] }.first { !$0.isEmpty } ?? ""
        exceptions = list.lowercased().split { $0 == "," || $0.isWhitespace }.compactMap { ProxyException($0) }
    }

    package func proxy(for url: HTTPURL) -> Proxy? {
        let proxy = url.scheme == .http ? http : https
        guard proxy != nil, !exceptions.isEmpty else { return proxy }
        let host = url.host.trimming("[].")
        let address = IPAddress.bytes(host)
        return exceptions.contains { $0.matches(host, address, url.effectivePort) } ? nil : proxy
    }
}

/// An entry of `no_proxy`: `*`, a name, an address, or a network such as `10.0.0.0/8`; with a port, or for every port.
///
/// A name includes the names below it, with or without a dot before it (libcurl). `*.example.com` means only those below, and a
/// port is compared (Go).
private struct ProxyException: Sendable {
    private let name: String
    private let port: UInt16?
    private let isForNamesBelow: Bool
    private let address: [UInt8]?
    /// The bits of ``address`` that are compared.
    private let bits: Int

    /// - Parameter entry: in lower case.
    /// - Returns: `nil` if it fits no host.
    init?(_ entry: Substring) {
        var (host, port) = (entry, Substring())
        // An IPv6 address without brackets has several colons, and no port.
        if let colon = entry.lastIndex(of: ":"), colon == entry.firstIndex(of: ":") || entry[..<colon].hasSuffix("]") {
            (host, port) = (entry[..<colon], entry[entry.index(after: colon)...])
        }
        self.port = UInt16(port)
        guard self.port != nil || port.isEmpty else { return nil }
        isForNamesBelow = host.hasPrefix("*.")
        let name = (isForNamesBelow ? host.dropFirst() : host).description.trimming("[].")
        guard !name.isEmpty else { return nil }
        let parts = name.split(separator: "/", maxSplits: 1)
        address = isForNamesBelow ? nil : parts.first.flatMap { IPAddress.bytes($0.description.trimming("[]")) }
        let size = 8 * (address?.count ?? 0)
        bits = parts.count == 2 ? Int(parts[1]) ?? -1 : size
        guard (0...size).contains(bits), parts.count == 1 || address != nil else { return nil }
        // In the form that DNS knows, as in a URL.
        self.name = (try? HTTPURL("https://\(name)/").host) ?? name
    }

    func matches(_ host: String, _ hostAddress: [UInt8]?, _ hostPort: UInt16) -> Bool {
        guard port == nil || port == hostPort else { return false }
        guard name != "*" else { return true }
        guard let hostAddress else { return host.hasSuffix("." + name) || (!isForNamesBelow && host == name) }
        guard let address, address.count == hostAddress.count else { return false }
        return address.indices.allSatisfy { index in
            let kept = min(8, max(0, bits - 8 * index))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> kept)
            return address[index] & mask == hostAddress[index] & mask
        }
    }
}
