/// How a ``LoopbackServer`` speaks TLS, soundly or not.
///
/// ```swift
/// let server = try LoopbackServer.start(tls: ServerTLS(.expired)) { _ in .ok("nobody should read this") }
/// ```
///
/// Whatever OpenSSL still knows may be served here, also what no client should accept: the point is to see the client refuse it.
public struct ServerTLS: Sendable {
    /// What the server's certificate is like.
    public enum Quality: String, Sendable, CaseIterable {
        /// Nothing is wrong with it.
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
        /// An authority signed it that the client has not heard of.
        case unknownAuthority
        /// The server does not show the authority between it and the root.
        case missingIntermediate
        /// Its key has 1024 bits of RSA.
        case weakKey
        /// The server lets nobody in who shows no certificate of ``ServerTLS/clientAuthority``.
        case clientAuthenticated
    }

    /// A version of TLS.
    public enum Version: Int, Sendable, Comparable {
        case tls10 = 0x0301
        case tls11, tls12, tls13

        public static func < (one: Version, other: Version) -> Bool { one.rawValue < other.rawValue }
    }

    /// An application protocol, as it is agreed on during the handshake (ALPN, RFC 7301).
    public enum ApplicationProtocol: String, Sendable {
        case http1 = "http/1.1"
        case http2 = "h2"
    }

    /// What the server shows.
    public var certificate: TestCertificate
    /// What the server shows besides, whether it leads to its authority or not; `nil` for the certificate's own intermediates.
    public var intermediates: [TestCertificate]?
    /// The authority that a client of this server trusts, PEM; it need not be the one that signed.
    public var authorityPEM: String
    /// What the server agrees to, best first. Default HTTP/2, then HTTP/1.1.
    public var protocols: [ApplicationProtocol] = [.http2, .http1]
    /// Default TLS 1.2 and 1.3.
    public var versions: ClosedRange<Version> = .tls12 ... .tls13
    /// The cipher suites up to TLS 1.2, in OpenSSL's words (`ECDHE-RSA-AES128-GCM-SHA256`, `NULL`, `kRSA`); `nil` for its
    /// default.
    public var ciphers: String?
    /// The size of the prime for `DHE` ciphers, at least 1024; `nil` for one that suits the certificate's key.
    public var diffieHellmanBits: Int?
    /// Who signs the certificates of clients; `nil` asks for none.
    public var clientAuthority: TestAuthority?
    /// The host in the server's URL. Default `localhost`.
    public var host = "localhost"

    /// - Parameters:
    ///   - certificate: what the server shows.
    ///   - authority: whom the client trusts.
    public init(_ certificate: TestCertificate, authority: TestAuthority) {
        self.certificate = certificate
        authorityPEM = authority.pem
    }

    /// A certificate made on the spot, and an authority for the client to trust.
    ///
    /// - Parameters:
    ///   - quality: what is wrong with it.
    ///   - protocols: see ``protocols``.
    /// - Throws: ``LoopbackServerError`` where OpenSSL is not loaded.
    public init(
        _ quality: Quality = .trusted, protocols: [ApplicationProtocol] = [.http2, .http1]
    ) throws(LoopbackServerError) {
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
