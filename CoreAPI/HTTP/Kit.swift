/// The kit's name and version. CHANGELOG.md names the same version, which is the next one until its release.
package enum Kit {
    package static let version = "0.1.0"
    /// The `User-Agent` of requests that set none. It does not name the transport: that would tell a server which attacks to try.
    package static let userAgent = "NetworkerKit/\(version)"
}
