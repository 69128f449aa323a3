#if canImport(Darwin)
package import Darwin
#elseif canImport(Musl)
package import Musl
#else
package import Glibc
#endif

extension Limits {
    /// Kinds of addresses outside the public Internet, for ``Limits/rejectedAddresses``: users of a service that fetches
    /// addresses for them must not lead it to its own network. Checked for every address that is tried, after DNS.
    public struct AddressClass: OptionSet, Sendable, Hashable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

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
