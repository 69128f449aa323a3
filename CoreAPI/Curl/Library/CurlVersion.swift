/// A version of libcurl. Versions compare in release order.
package struct CurlVersion: Comparable, Hashable, Sendable {
    /// As in `curl_version_info`: `0x075801` for 7.88.1.
    let number: UInt32

    package static func < (left: CurlVersion, right: CurlVersion) -> Bool { left.number < right.number }
}

extension CurlVersion {
    package init(_ major: UInt32, _ minor: UInt32, _ patch: UInt32) {
        number = major << 16 | minor << 8 | patch
    }

    package static let oldest = CurlVersion(number: 0)
    /// After every existing version.
    package static let unreleased = CurlVersion(number: .max)
}
