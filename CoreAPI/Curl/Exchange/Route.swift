internal import CCurl
internal import CoreAPICore

/// The connection of an exchange, from the sockets that libcurl opens to what TLS says at its end.
struct Route {
    /// The sockets that libcurl opened for it; several if two addresses raced.
    var sockets: [Int32] = []
    /// Whether the channel rejects one of the host's addresses.
    private(set) var hasRejectedAddress = false
    /// The system's text if it rejected a socket because process or system have too many descriptors; libcurl's does not tell.
    var socketRejection: String?
    /// The connection on which the request was last sent.
    var connection: LoopConnection?
    /// The connection whose end may be the end of the body.
    var tls: TLSConnection?
    /// The loop's pin check, if the host has pins and libcurl has the exchange.
    var pinCheck: PinCheck?

    /// Whether the peer is one that the channel rejects. Noted, because libcurl then tries the host's next address.
    mutating func rejects(_ address: UnsafeMutablePointer<curl_sockaddr>, _ rejected: Limits.AddressClass) -> Bool {
        guard !rejected.isEmpty else { return false }
        let isRejected = withUnsafePointer(to: &address.pointee.addr) { !Limits.AddressClass(of: $0).isDisjoint(with: rejected) }
        hasRejectedAddress = hasRejectedAddress || isRejected
        return isRejected
    }
}
