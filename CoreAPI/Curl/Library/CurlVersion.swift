/// A version of libcurl. They compare in their order.
package struct CurlVersion: Comparable, Hashable, Sendable {
    /// As `curl_version_info` has it: `0x075801` for 7.88.1.
    let number: UInt32

    package static func < (left: CurlVersion, right: CurlVersion) -> Bool { left.number < right.number }
}

extension CurlVersion {
    package init(_ major: UInt32, _ minor: UInt32, _ patch: UInt32) {
        number = major << 16 | minor << 8 | patch
    }

    package static let oldest = CurlVersion(number: 0)
    /// Behind every version that there is.
    package static let unreleased = CurlVersion(number: .max)
}
