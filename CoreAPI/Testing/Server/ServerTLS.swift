/// The TLS settings of a ``LoopbackServer``, valid or not.
///
/// ```swift
/// let server = try LoopbackServer.start(tls: ServerTLS(.expired)) { _ in .ok("a client must not read this") }
/// ```
///
/// Any setting that OpenSSL still supports is allowed here, also ones that no client should accept: a test can then see the
/// client reject them.
public struct ServerTLS: Sendable {
    /// The quality of the server's certificate.
    public enum Quality: String, Sendable, CaseIterable {
        /// A valid certificate.
        case trusted
        /// It ended yesterday.
        case expired
        /// It begins tomorrow.
        case notYetValid
        /// It is for another host.
        case wrongHost
        /// It is for `*.shop.localhost`; the server's URL is below that.
        case wildcard
        /// It signed itself.
        case selfSigned
        /// Its authority is unknown to the client.
        case unknownAuthority
        /// The server does not show the authority between it and the root.
        case missingIntermediate
        /// Its key has 1024 bits of RSA.
        case weakKey
        /// The server rejects clients without a certificate of ``ServerTLS/clientAuthority``.
        case clientAuthenticated
    }

    /// A version of TLS.
    public enum Version: Int, Sendable, Comparable {
        /// TLS 1.0, which no client should accept (RFC 8996).
        case tls10 = 0x0301
        /// TLS 1.1, which no client should accept (RFC 8996).
        case tls11
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13

        public static func < (one: Version, other: Version) -> Bool { one.rawValue < other.rawValue }
    }

    /// An application protocol, negotiated during the handshake (ALPN, RFC 7301).
    public enum ApplicationProtocol: String, Sendable {
        /// HTTP/1.1.
        case http1 = "http/1.1"
        /// HTTP/2.
        case http2 = "h2"
    }

    /// The server's certificate.
    public var certificate: TestCertificate
    /// The further certificates that the server shows, whether they lead to its authority or not; `nil` for the certificate's own
    /// intermediates.
    public var intermediates: [TestCertificate]?
    /// The authority that a client of this server trusts, PEM; it may differ from the one that signed.
    public var authorityPEM: String
    /// The supported protocols, best first. Default HTTP/2, then HTTP/1.1.
    public var protocols: [ApplicationProtocol] = [.http2, .http1]
    /// The supported versions. Default TLS 1.2 and 1.3.
    public var versions: ClosedRange<Version> = .tls12 ... .tls13
    /// The cipher suites up to TLS 1.2, by OpenSSL's names (`ECDHE-RSA-AES128-GCM-SHA256`, `NULL`); `nil` for its default.
    public var ciphers: String?
    /// The size of the prime for `DHE` ciphers, at least 1024; `nil` for one that suits the certificate's key.
    public var diffieHellmanBits: Int?
    /// The authority of client certificates; `nil` asks for none.
    public var clientAuthority: TestAuthority?
    /// The host in the server's URL. Default `localhost`.
    public var host = "localhost"

    /// A certificate of the server, and the authority that the client trusts.
    public init(_ certificate: TestCertificate, authority: TestAuthority) {
        (self.certificate, authorityPEM) = (certificate, authority.pem)
    }

    /// A certificate of this quality, made on the spot, and an authority for the client to trust.
    ///
    /// - Throws: ``LoopbackServerError`` if OpenSSL is not loaded.
    public init(_ quality: Quality = .trusted, protocols: [ApplicationProtocol] = [.http2, .http1]) throws(LoopbackServerError) {
        let root = try TestAuthority()
        switch quality {
        case .trusted, .clientAuthenticated: certificate = try root.certificate()
        case .expired: certificate = try root.certificate(validity: .expired)
        case .notYetValid: certificate = try root.certificate(validity: .notYet)
        case .wrongHost: certificate = try root.certificate(for: ["elsewhere.test"])
        case .wildcard: certificate = try root.certificate(for: ["*.shop.localhost"])
        case .selfSigned: certificate = try .selfSigned()
        case .unknownAuthority: certificate = try TestAuthority(name: "Unknown Root").certificate()
        case .missingIntermediate: certificate = try root.intermediate().certificate(showsIntermediates: false)
        case .weakKey: certificate = try root.certificate(key: .rsa(1024))
        }
        authorityPEM = root.pem
        self.protocols = protocols
        if quality == .wildcard { host = "api.shop.localhost" }
        if quality == .clientAuthenticated { clientAuthority = root }
    }
}
