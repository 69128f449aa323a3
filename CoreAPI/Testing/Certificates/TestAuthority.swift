/// A certificate authority for tests. It signs any certificate that a test needs, also ones that no authority should sign.
///
/// ```swift
/// let authority = try TestAuthority()
/// let expired = try authority.certificate(validity: .expired)
/// let below = try authority.intermediate().certificate(for: ["*.shop.test"])
/// ```
///
/// Its certificates exist in this process only. A client trusts it by its ``pem``: `ServerTrustManager(authorities:
/// .pem(authority.pem))`.
public final class TestAuthority: Sendable {
    /// The names of this machine: `localhost`, `127.0.0.1`, `::1`.
    public static let loopback = ["localhost", "127.0.0.1", "::1"]

    /// The authority's own certificate.
    public let certificate: TestCertificate
    /// The authority's certificate, PEM.
    public var pem: String { certificate.pem }
    /// The authorities that a server shows below the root, this one first; empty if this is the root.
    private let chain: [TestCertificate]

    /// A new root with this common name. It signs with the key, and may do so while it is valid.
    ///
    /// - Throws: ``LoopbackServerError`` if OpenSSL is not loaded, or rejects the certificate.
    public init(
        name: String = "Test Root \(UInt32.random(in: 0 ... .max))", key: TestCertificate.Key = .p256,
        validity: TestCertificate.Validity = .current
    ) throws(LoopbackServerError) {
        let plan = TestCertificate.Plan(name: name, validity: validity, isAuthority: true)
        certificate = try TestCertificate(plan, key: TestKey(key), issuer: nil, intermediates: [])
        chain = []
    }

    private init(_ certificate: TestCertificate, chain: [TestCertificate]) {
        (self.certificate, self.chain) = (certificate, [certificate] + chain)
    }

    /// An authority below this one. `digest` is that of its signature, by OpenSSL's name: `SHA256`, `SHA1`.
    ///
    /// - Throws: ``LoopbackServerError`` if OpenSSL rejects.
    public func intermediate(
        name: String = "Test Intermediate", validity: TestCertificate.Validity = .current, digest: String = "SHA256"
    ) throws(LoopbackServerError) -> TestAuthority {
        let plan = TestCertificate.Plan(name: name, validity: validity, digest: digest, isAuthority: true)
        let made = try TestCertificate(plan, key: TestKey(.p256), issuer: certificate, intermediates: chain)
        return TestAuthority(made, chain: chain)
    }

    /// A certificate for a server or a client, signed by this authority.
    ///
    /// - Parameters:
    ///   - hosts: names, `*.example.com` too, and addresses of the certificate; none for a client's.
    ///   - name: its common name; `nil` for none.
    ///   - validity: when it is valid.
    ///   - key: its key.
    ///   - digest: as of an ``intermediate(name:validity:digest:)``.
    ///   - showsIntermediates: whether a server shows the authorities between this certificate and the root.
    /// - Throws: ``LoopbackServerError`` if OpenSSL rejects.
    public func certificate(
        for hosts: [String] = TestAuthority.loopback, name: String? = "test", validity: TestCertificate.Validity = .current,
        key: TestCertificate.Key = .p256, digest: String = "SHA256", showsIntermediates: Bool = true
    ) throws(LoopbackServerError) -> TestCertificate {
        let plan = TestCertificate.Plan(name: name, hosts: hosts, validity: validity, digest: digest)
        return try TestCertificate(plan, key: TestKey(key), issuer: certificate, intermediates: showsIntermediates ? chain : [])
    }
}
