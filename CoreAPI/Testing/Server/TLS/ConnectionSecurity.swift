/// The result of a TLS handshake between client and server.
public struct ConnectionSecurity: Sendable, Hashable {
    /// `TLSv1.3`, `TLSv1.2` …
    public let version: String
    /// The host that the client named (SNI, RFC 6066 §3); nil if it used an address or named none.
    public let serverName: String?
    /// Whether an earlier session was resumed, without showing a certificate.
    public let isResumed: Bool
}
