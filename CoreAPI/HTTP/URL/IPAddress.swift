internal import Foundation

/// Checks text for the one address form that all parsers read alike (`inet_pton`).
package enum IPAddress {
    package static func isIPv4(_ text: String) -> Bool { bytes(text)?.count == 4 }

    /// Four bytes or sixteen, without the zone of an IPv6 address; `nil` if the text is no address.
    package static func bytes(_ text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        var sixteen = in6_addr()
        let address = String(text.prefix { $0 != "%" })
        return inet_pton(AF_INET6, address, &sixteen) == 1 ? withUnsafeBytes(of: sixteen) { Array($0) } : nil
    }

    /// The canonical form of an IPv6 address (RFC 5952), without brackets and without a zone; `nil` if the text is not an IPv6
    /// address.
    package static func canonicalIPv6(_ text: String) -> String? {
        var address = in6_addr()
        guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
