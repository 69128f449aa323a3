public import CoreAPI
internal import Foundation

/// A certificate for tests, with its key, and the certificates that a server shows with it.
///
/// ```swift
/// let authority = try TestAuthority()
/// let server = try LoopbackServer.start(tls: ServerTLS(authority.certificate(), authority: authority)) { _ in .ok("hello") }
/// ```
///
/// `@unchecked`: OpenSSL's certificate is not changed after it is signed.
public final class TestCertificate: @unchecked Sendable {
    /// The kind of a certificate's key.
    public enum Key: Sendable, Hashable {
        /// The elliptic curve P-256.
        case p256
        /// The elliptic curve P-384.
        case p384
        /// RSA with this many bits; no client should accept fewer than 2048.
        case rsa(Int)
    }

    /// When a certificate is valid.
    public enum Validity: Sendable, Hashable {
        /// From an hour ago for thirty days.
        case current
        /// Ended yesterday.
        case expired
        /// Begins tomorrow.
        case notYet

        /// Seconds from now.
        var seconds: (from: Int, to: Int) {
            switch self {
            case .current: (-3600, 30 * 86_400)
            case .expired: (-30 * 86_400, -86_400)
            case .notYet: (86_400, 30 * 86_400)
            }
        }
    }

    /// The certificate alone, PEM.
    public let pem: String
    /// Its private key, PEM, not encrypted.
    public var keyPEM: String { key.pem }
    /// The certificate as the kit reads it, for example for its pin.
    public let certificate: Certificate
    /// The further certificates that a server shows: the authorities between this certificate and the root, nearest first.
    public let intermediates: [TestCertificate]

    let pointer: OpaquePointer
    let key: TestKey
    private let functions: CertificateFunctions

    /// - Parameter issuer: the signer; `nil` for a self-signed certificate.
    init(_ plan: Plan, key: TestKey, issuer: TestCertificate?, intermediates: [TestCertificate]) throws(LoopbackServerError) {
        let functions = try CertificateFunctions.loaded.get()
        guard let pointer = functions.newCertificate() else { throw .rejectedByOpenSSL("to make a certificate") }
        self.pointer = pointer
        self.functions = functions
        self.key = key
        self.intermediates = intermediates
        // An initializer that throws ends the object's life without its deinit.
        do throws(LoopbackServerError) {
            try plan.fill(pointer, functions, key: key, issuer: issuer)
            let der = try CertificateFunctions.bytes(of: pointer, functions.encodeCertificate)
            pem = PEM.text("CERTIFICATE", der)
            guard let certificate = try? Certificate(der: Data(der)) else {
                throw .rejectedByOpenSSL("to make a certificate that can be read")
            }
            self.certificate = certificate
        } catch {
            functions.freeCertificate(pointer)
            throw error
        }
    }

    deinit {
        functions.freeCertificate(pointer)
    }

    /// A self-signed certificate that is not an authority.
    ///
    /// - Parameter hosts: names and addresses of the certificate.
    /// - Throws: ``LoopbackServerError`` if OpenSSL is not loaded or rejects.
    public static func selfSigned(for hosts: [String] = TestAuthority.loopback) throws(LoopbackServerError) -> TestCertificate {
        try TestCertificate(Plan(name: hosts.first, hosts: hosts), key: TestKey(.p256), issuer: nil, intermediates: [])
    }

    /// The certificate and those up to its authority, PEM, as a server or client shows them.
    public var chainPEM: String { ([self] + intermediates).map(\.pem).joined() }
}
