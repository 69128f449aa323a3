internal import CoreAPIHTTP
package import Foundation
internal import HTTPTypes

/// Limits that a channel sets on its responses, attempts and connections.
public struct Limits: Sendable, Hashable {
    /// Bytes of a response body after decompression. Default 64 MiB. That of a redirect is cut at 64 KiB.
    public var responseBodySize = 64 * 1024 * 1024
    /// Bytes of a response's head, all fields together. Default 64 KiB. libcurl's own limits (``CurlTransport/capabilities``)
    /// apply as well: 300 KiB, 128 KiB over HTTP/2, and 100 KiB for one line.
    public var responseHeadSize = 64 * 1024
    /// Lines of a response's head and of its trailers. Default 512; at most 65,000 apply.
    public var responseHeadLines = 512
    /// Addresses that the kit never connects to. Default none. With any the kit uses no proxy, which would be the peer.
    public var rejectedAddresses: Limits.AddressClass = []
    /// Redirects that one attempt follows; 0 returns the redirect itself. Default 20.
    public var redirects = 20
    /// Whether a redirect may lead from https to http. Default `false`.
    public var allowsRedirectsToInsecure = false
    /// Connections open at once, to all hosts together (`CURLMOPT_MAX_TOTAL_CONNECTIONS`). Default 200, below Darwin's default of
    /// 256 descriptors per process. Calls that stream their body have separate connections, up to the same number.
    public var connections = 200
    /// Connections open at once to one host (`CURLMOPT_MAX_HOST_CONNECTIONS`); a further request waits in the kit's queue.
    /// Default 100: 2,000 requests of 2 s then take 40 s, and with a browser's eight more than eight minutes. A host that speaks
    /// HTTP/2 usually gets one connection; see ``streamsPerConnection``.
    public var connectionsPerHost = 100
    /// Streams at once on one HTTP/2 connection (`CURLMOPT_MAX_CONCURRENT_STREAMS`). Such a host gets one connection (RFC 9113
    /// §9.1), so this also limits its requests at once. Default 100, which every server is asked to allow (§6.5.2). For a server
    /// that allows fewer, more connections are opened, up to ``connectionsPerHost``.
    public var streamsPerConnection = 100
    /// Requests that wait in the kit's queue before a further one is rejected. Default 100,000.
    public var queuedRequests = 100_000
    /// Attempts of one call, the first and those made manually included. Default 10.
    public var attempts = 10
    /// Makes limits with the default values.
    public init() {}
    package var headLines: Int { min(responseHeadLines, HTTPFields.limit) }

    /// Names of fields with invalid values, and what was expected.
    var problems: [String] {
        var problems: [String] = []
        func check(_ name: String, _ value: Int, atLeast least: Int) {
            if value < least { problems.append("limits.\(name) is \(value); expected at least \(least)") }
        }
        check("responseBodySize", responseBodySize, atLeast: 0)
        check("responseHeadSize", responseHeadSize, atLeast: 1)
        check("responseHeadLines", responseHeadLines, atLeast: 1)
        check("redirects", redirects, atLeast: 0)
        check("connections", connections, atLeast: 1)
        check("connectionsPerHost", connectionsPerHost, atLeast: 1)
        check("streamsPerConnection", streamsPerConnection, atLeast: 1)
        check("queuedRequests", queuedRequests, atLeast: 0)
        check("attempts", attempts, atLeast: 1)
        return problems
    }

    /// Kinds of addresses outside the public Internet, for ``Limits/rejectedAddresses``: users of a service that fetches
    /// addresses for them must not lead it to its own network. Checked for every address that is tried, after DNS.
    public struct AddressClass: OptionSet, Sendable, Hashable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// 127.0.0.0/8, ::1, and the unspecified 0.0.0.0/8 and ::, which lead to the same machine.
        public static let loopback = Limits.AddressClass(rawValue: 1 << 0)
        /// RFC 1918, the shared 100.64.0.0/10 of RFC 6598, and unique local fc00::/7 and fec0::/10.
        public static let privateNetwork = Limits.AddressClass(rawValue: 1 << 1)
        /// 169.254.0.0/16, where clouds serve their metadata, and fe80::/10.
        public static let linkLocal = Limits.AddressClass(rawValue: 1 << 2)
        /// Multicast, documentation, benchmarks and reserved addresses (RFC 6890).
        public static let special = Limits.AddressClass(rawValue: 1 << 3)
        /// Everything but the public Internet.
        public static let nonPublic: Limits.AddressClass = [.loopback, .privateNetwork, .linkLocal, .special]

        package init(of address: UnsafePointer<sockaddr>) {
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                    Self.ipv4(UInt32(bigEndian: address.pointee.sin_addr.s_addr))
                }
            case AF_INET6:
                self = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    withUnsafeBytes(of: address.pointee.sin6_addr) { Self.ipv6(Array($0)) }
                }
            default: self = .special
            }
        }

        private static func ipv4(_ address: UInt32) -> Limits.AddressClass {
            func isIn(_ network: UInt32, _ bits: UInt32) -> Bool { address >> (32 - bits) == network >> (32 - bits) }
            if isIn(0x7F00_0000, 8) || isIn(0, 8) { return .loopback }
            if isIn(0x0A00_0000, 8) || isIn(0xAC10_0000, 12) || isIn(0xC0A8_0000, 16) || isIn(0x6440_0000, 10) {
                return .privateNetwork
            }
            if isIn(0xA9FE_0000, 16) { return .linkLocal }
            let special: [(UInt32, UInt32)] = [
                (0xC000_0000, 24), (0xC000_0200, 24), (0xC612_0000, 15), (0xC633_6400, 24), (0xCB00_7100, 24), (0xC058_6300, 24),
                (0xE000_0000, 3),
            ]
            return special.contains { isIn($0.0, $0.1) } ? .special : []
        }

        private static func ipv6(_ bytes: [UInt8]) -> Limits.AddressClass {
            func embedded(at index: Int) -> UInt32 { bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) } }
            let zeros = bytes.prefix { $0 == 0 }.count
            if zeros == 16 || (zeros == 15 && bytes[15] == 1) { return .loopback }
            // Embedded IPv4: mapped and compatible (RFC 4291 §2.5.5), NAT64 (RFC 6052), 6to4 (RFC 3056).
            if zeros == 10, bytes[10] == 0xFF, bytes[11] == 0xFF { return ipv4(embedded(at: 12)) }
            if zeros >= 12 { return ipv4(embedded(at: 12)) }
            if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B]) { return ipv4(embedded(at: 12)) }
            if bytes[0] == 0x20, bytes[1] == 0x02 { return ipv4(embedded(at: 2)) }
            if bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0xC0) { return .privateNetwork }
            if bytes[0] == 0xFE, bytes[1] & 0xC0 == 0x80 { return .linkLocal }
            // Only 2000::/3 is assigned. Of it 2001:db8::/32 is for documentation, and 2001::/32, Teredo, tunnels anywhere.
            let reserved: [[UInt8]] = [[0x20, 0x01, 0x0D, 0xB8], [0x20, 0x01, 0x00, 0x00]]
            return bytes[0] & 0xE0 == 0x20 && !reserved.contains { bytes.starts(with: $0) } ? [] : .special
        }
    }
}
