/// What the kit says of itself.
package enum Kit {
    package static let version = "0.1.0"

    /// What requests that bring no `User-Agent` of their own say they are. No word about the transport: to servers it would only
    /// tell which attacks to try.
    package static let userAgent = "NetworkerKit/\(version)"
}
