package import CoreAPICore
internal import Foundation

/// A proxy from the process's environment.
///
/// The kit chooses it instead of libcurl, so that an error can name the variable.
package final class Proxy: Sendable {
    /// The variable: `https_proxy`.
    package let source: String
    /// The variable's value, including credentials (`CURLOPT_PROXY`).
    let address: String

    init(source: String, address: String) {
        self.source = source
        self.address = address
    }

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
/// a CGI program it is a header field of the request. `no_proxy` or `NO_PROXY` lists hosts that are reached without a proxy.
package struct ProxyEnvironment: Sendable {
    /// The process's; `nil` without a proxy. Read once, because an environment must not change once there are threads. libcurl
    /// would read it for each request, which costs 3,000 instructions.
    package static let current = ProxyEnvironment(ProcessInfo.processInfo.environment)

    private let http: Proxy?
    private let https: Proxy?
    /// Names, addresses and networks, in lower case.
    private let exceptions: [String]

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
        exceptions = list.lowercased().split { $0 == "," || $0.isWhitespace }.map { String($0) }
    }

    package func proxy(for url: HTTPURL) -> Proxy? {
        let proxy = url.scheme == .http ? http : https
        return proxy == nil || isException(url.host) ? nil : proxy
    }

    private func isException(_ host: String) -> Bool {
        let host = host.trimming("[].")
        let address = IPAddress.bytes(host)
        return exceptions.contains { exception in
            guard exception != "*" else { return true }
            let exception = exception.trimming("[].")
            guard let address else { return host == exception || host.hasSuffix("." + exception) }
            let parts = exception.split(separator: "/", maxSplits: 1)
            guard let network = parts.first.flatMap({ IPAddress.bytes(String($0)) }), network.count == address.count else {
                return false
            }
            let bits = parts.count == 2 ? Int(parts[1]) ?? -1 : 8 * network.count
            guard (0...8 * network.count).contains(bits) else { return false }
            return (0..<network.count).allSatisfy { index in
                let kept = min(8, max(0, bits - 8 * index))
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> kept)
                return network[index] & mask == address[index] & mask
            }
        }
    }
}
