/// What client and server agreed on in a TLS handshake.
public struct ConnectionSecurity: Sendable, Hashable {
    /// `TLSv1.3`, `TLSv1.2` …
    public let version: String
    /// The host that the client asked for (SNI, RFC 6066 §3); nil when it was an address or it did not say.
    public let serverName: String?
    /// Whether an earlier session was taken up again, in which case no certificate was shown.
    public let isResumed: Bool
}
