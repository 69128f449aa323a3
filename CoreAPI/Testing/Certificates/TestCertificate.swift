public import CoreAPI
internal import CoreAPIHTTP
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
        fileprivate var seconds: (from: Int, to: Int) {
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
    private let openSSL: OpenSSL

    /// - Parameter issuer: the signer; `nil` for a self-signed certificate.
    init(_ plan: Plan, key: TestKey, issuer: TestCertificate?, intermediates: [TestCertificate]) throws(LoopbackServerError) {
        let openSSL = try OpenSSL.loaded.get()
        guard let pointer = openSSL.newCertificate() else { throw .rejectedByOpenSSL("to make a certificate") }
        (self.pointer, self.openSSL, self.key, self.intermediates) = (pointer, openSSL, key, intermediates)
        // An initializer that throws ends the object's life without its deinit.
        do throws(LoopbackServerError) {
            try plan.fill(pointer, openSSL, key: key, issuer: issuer)
            let (text, der) = try OpenSSL.pem("CERTIFICATE", pointer, openSSL.encodeCertificate)
            guard let certificate = try? Certificate(der: der) else {
                throw .rejectedByOpenSSL("to make a certificate that can be read")
            }
            (pem, self.certificate) = (text, certificate)
        } catch {
            openSSL.freeCertificate(pointer)
            throw error
        }
    }

    deinit { openSSL.freeCertificate(pointer) }

    /// A self-signed certificate for names and addresses that is not an authority.
    ///
    /// - Throws: ``LoopbackServerError`` if OpenSSL is not loaded or rejects.
    public static func selfSigned(for hosts: [String] = TestAuthority.loopback) throws(LoopbackServerError) -> TestCertificate {
        try TestCertificate(Plan(name: hosts.first, hosts: hosts), key: TestKey(.p256), issuer: nil, intermediates: [])
    }

    /// The certificate and those up to its authority, PEM, as a server or client shows them.
    public var chainPEM: String { ([self] + intermediates).map(\.pem).joined() }
}

extension TestCertificate {
    /// The content of a certificate.
    struct Plan {
        var name: String?
        var hosts: [String] = []
        var validity = Validity.current
        var digest = "SHA256"
        /// Whether it may sign other certificates.
        var isAuthority = false

        /// Fills a new certificate and signs it.
        fileprivate func fill(
            _ certificate: OpaquePointer, _ openSSL: OpenSSL, key: TestKey, issuer: TestCertificate?
        ) throws(LoopbackServerError) {
            func check(_ isDone: Bool, _ what: String) throws(LoopbackServerError) {
                guard isDone else { throw .rejectedByOpenSSL("\(what) of a certificate for \(hosts)") }
            }
            // Version 3 is written as 2 (RFC 5280 §4.1.2.1).
            try check(openSSL.setVersion(certificate, 2) == 1, "the version")
            let serial = Int.random(in: 1 ... .max)
            try check(openSSL.setInteger(openSSL.serialNumber(certificate), serial) == 1, "the serial number")
            let seconds = validity.seconds
            try check(openSSL.setTime(openSSL.notBefore(certificate), seconds.from) != nil, "the first day")
            try check(openSSL.setTime(openSSL.notAfter(certificate), seconds.to) != nil, "the last day")
            let subject = openSSL.subject(certificate)
            if let name {
                // At most 64 characters (RFC 5280, appendix A); clients check the alternative names. 0x1000 is `MBSTRING_UTF8`.
                let added = openSSL.addName(subject, "CN", 0x1000, Array(name.utf8.prefix(64)) + [0], -1, -1, 0)
                try check(added == 1, "the name '\(name)'")
            }
            let issuerName = issuer.map { openSSL.subject($0.pointer) } ?? subject
            try check(openSSL.setIssuer(certificate, issuerName) == 1, "the issuer")
            try check(openSSL.setKey(certificate, key.pointer) == 1, "the key")
            // `X509V3_CTX`, which has eight words in OpenSSL 3: the identifiers of keys are made from these two certificates.
            let context = UnsafeMutablePointer<Int>.allocate(capacity: 16)
            context.initialize(repeating: 0, count: 16)
            defer { context.deallocate() }
            let contextPointer = OpaquePointer(context)
            openSSL.setExtensionContext(contextPointer, issuer?.pointer ?? certificate, certificate, nil, nil, 0)
            for (identifier, value) in extensions(hasIssuer: issuer != nil) {
                let made = openSSL.makeExtension(nil, contextPointer, identifier, value)
                defer { openSSL.freeExtension(made) }
                try check(made != nil && openSSL.addExtension(certificate, made, -1) == 1, "the extension '\(value)'")
            }
            let signer = issuer?.key ?? key
            try check(openSSL.sign(certificate, signer.pointer, openSSL.digest(digest)) > 0, "the signature by \(digest)")
        }

        /// By OpenSSL's number (`NID_`). With identifiers of keys, which strict clients demand (RFC 5280 §4.2.1.1, §4.2.1.2;
        /// Python 3.13 does).
        private func extensions(hasIssuer: Bool) -> [(Int32, String)] {
            let (subjectKeyIdentifier, keyUsage, alternativeNames): (Int32, Int32, Int32) = (82, 83, 85)
            let (basicConstraints, authorityKeyIdentifier, extendedKeyUsage): (Int32, Int32, Int32) = (87, 90, 126)
            var extensions = [(subjectKeyIdentifier, "hash")]
            if hasIssuer { extensions.append((authorityKeyIdentifier, "keyid")) }
            if isAuthority {
                extensions.append((basicConstraints, "critical,CA:TRUE"))
                extensions.append((keyUsage, "critical,keyCertSign,cRLSign"))
            } else {
                // Apple's platforms demand it.
                extensions.append((extendedKeyUsage, "serverAuth,clientAuth"))
            }
            if !hosts.isEmpty {
                let names = hosts.map { (IPAddress.bytes($0) == nil ? "DNS:" : "IP:") + $0 }
                extensions.append((alternativeNames, names.joined(separator: ",")))
            }
            return extensions
        }
    }
}

/// A private key for tests.
///
/// `@unchecked`: OpenSSL counts the key's references under its own lock and never changes the key.
final class TestKey: @unchecked Sendable {
    let pointer: OpaquePointer
    let pem: String
    private let openSSL: OpenSSL

    init(_ kind: TestCertificate.Key) throws(LoopbackServerError) {
        let openSSL = try OpenSSL.loaded.get()
        // `NID_X9_62_id_ecPublicKey` and `NID_rsaEncryption`.
        let (identifier, option, value, label): (Int32, String, String, String) =
            switch kind {
            case .p256: (408, "ec_paramgen_curve", "P-256", "EC PRIVATE KEY")
            case .p384: (408, "ec_paramgen_curve", "P-384", "EC PRIVATE KEY")
            case .rsa(let bits): (6, "rsa_keygen_bits", String(bits), "RSA PRIVATE KEY")
            }
        let context = openSSL.newKeyContext(identifier, nil)
        defer { openSSL.freeKeyContext(context) }
        var key: OpaquePointer?
        guard openSSL.beginKey(context) == 1, openSSL.setKeyOption(context, option, value) == 1,
            openSSL.makeKey(context, &key) == 1, let key
        else { throw .rejectedByOpenSSL("to make a key \(kind)") }
        pointer = key
        self.openSSL = openSSL
        do throws(LoopbackServerError) {
            pem = try OpenSSL.pem(label, key, openSSL.encodeKey).text
        } catch {
            openSSL.freeKey(key)
            throw error
        }
    }

    deinit { openSSL.freeKey(pointer) }
}
