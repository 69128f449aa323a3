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
    private let free: OpenSSL.Free

    /// - Parameter issuer: the signer; `nil` for a self-signed certificate.
    init(_ plan: Plan, key: TestKey, issuer: TestCertificate?, intermediates: [TestCertificate]) throws(LoopbackServerError) {
        free = try OpenSSL.crypto("X509_free")
        guard let pointer = try OpenSSL.crypto("X509_new", OpenSSL.New.self)() else {
            throw .rejectedByOpenSSL("to make a certificate")
        }
        (self.pointer, self.key, self.intermediates) = (pointer, key, intermediates)
        // An initializer that throws ends the object's life without its deinit.
        do throws(LoopbackServerError) {
            try plan.fill(pointer, key: key, issuer: issuer)
            let (text, der) = try OpenSSL.pem("CERTIFICATE", pointer, OpenSSL.crypto("i2d_X509"))
            guard let certificate = try? Certificate(der: der) else {
                throw .rejectedByOpenSSL("to make a certificate that can be read")
            }
            (pem, self.certificate) = (text, certificate)
        } catch {
            free(pointer)
            throw error
        }
    }

    deinit { free(pointer) }

    /// A self-signed certificate for names and addresses that is not an authority.
    ///
    /// - Throws: ``LoopbackServerError`` if OpenSSL is not loaded or rejects.
    public static func selfSigned(for hosts: [String] = TestAuthority.loopback) throws(LoopbackServerError) -> TestCertificate {
        try TestCertificate(Plan(name: hosts.first, hosts: hosts), key: TestKey(.p256), issuer: nil, intermediates: [])
    }

    /// The certificate and those up to its authority, PEM, as a server or client shows them.
    public var chainPEM: String { ([self] + intermediates).map(\.pem).joined() }

    struct Plan {
        var name: String?
        var hosts: [String] = []
        var validity = Validity.current
        var digest = "SHA256"
        /// Whether it may sign other certificates.
        var isAuthority = false

        fileprivate func fill(_ certificate: OpaquePointer, key: TestKey, issuer: TestCertificate?) throws(LoopbackServerError) {
            typealias SetNumber = @convention(c) (OpaquePointer?, Int) -> Int32
            func check(_ isDone: Bool, _ what: String) throws(LoopbackServerError) {
                guard isDone else { throw .rejectedByOpenSSL("\(what) of a certificate for \(hosts)") }
            }
            func part(_ name: String, of certificate: OpaquePointer) throws(LoopbackServerError) -> OpaquePointer? {
                try OpenSSL.crypto(name, OpenSSL.Get.self)(certificate)
            }
            // Version 3 is written as 2 (RFC 5280 §4.1.2.1).
            try check(OpenSSL.crypto("X509_set_version", SetNumber.self)(certificate, 2) == 1, "the version")
            let (serial, number) = try (part("X509_get_serialNumber", of: certificate), Int.random(in: 1 ... .max))
            try check(OpenSSL.crypto("ASN1_INTEGER_set", SetNumber.self)(serial, number) == 1, "the serial number")
            let setTime: @convention(c) (OpaquePointer?, Int) -> OpaquePointer? = try OpenSSL.crypto("X509_gmtime_adj")
            let seconds = validity.seconds
            try check(setTime(part("X509_getm_notBefore", of: certificate), seconds.from) != nil, "the first day")
            try check(setTime(part("X509_getm_notAfter", of: certificate), seconds.to) != nil, "the last day")
            let subject = try part("X509_get_subject_name", of: certificate)
            if let name { try check(add(name, to: subject), "the name '\(name)'") }
            let issuerName = try part("X509_get_subject_name", of: issuer?.pointer ?? certificate)
            try check(OpenSSL.crypto("X509_set_issuer_name", OpenSSL.Use.self)(certificate, issuerName) == 1, "the issuer")
            try check(OpenSSL.crypto("X509_set_pubkey", OpenSSL.Use.self)(certificate, key.pointer) == 1, "the key")
            for (identifier, value) in extensions(hasIssuer: issuer != nil) {
                let isAdded = try addExtension(identifier, value, to: certificate, issuer: issuer?.pointer ?? certificate)
                try check(isAdded, "the extension '\(value)'")
            }
            let digestNamed: @convention(c) (OpenSSL.Text) -> OpaquePointer? = try OpenSSL.crypto("EVP_get_digestbyname")
            let sign: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32 = try OpenSSL.crypto("X509_sign")
            try check(sign(certificate, (issuer?.key ?? key).pointer, digestNamed(digest)) > 0, "the signature by \(digest)")
        }

        private func add(_ name: String, to subject: OpaquePointer?) throws(LoopbackServerError) -> Bool {
            let add: @convention(c) (OpaquePointer?, OpenSSL.Text, Int32, OpenSSL.Bytes, Int32, Int32, Int32) -> Int32 =
                try OpenSSL.crypto("X509_NAME_add_entry_by_txt")
            // At most 64 characters (RFC 5280, appendix A); clients check the alternative names. 0x1000 is `MBSTRING_UTF8`.
            return add(subject, "CN", 0x1000, Array(name.utf8.prefix(64)) + [0], -1, -1, 0) == 1
        }

        private func addExtension(
            _ identifier: Int32, _ value: String, to certificate: OpaquePointer, issuer: OpaquePointer
        ) throws(LoopbackServerError) -> Bool {
            let setContext:
                @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?, Int32) -> Void =
                    try OpenSSL.crypto("X509V3_set_ctx")
            let make: @convention(c) (OpaquePointer?, OpaquePointer?, Int32, OpenSSL.Text) -> OpaquePointer? =
                try OpenSSL.crypto("X509V3_EXT_conf_nid")
            let add: @convention(c) (OpaquePointer?, OpaquePointer?, Int32) -> Int32 = try OpenSSL.crypto("X509_add_ext")
            let free: OpenSSL.Free = try OpenSSL.crypto("X509_EXTENSION_free")
            // `X509V3_CTX`, which has eight words in OpenSSL 3: the identifiers of keys are made from these two certificates.
            return withUnsafeTemporaryAllocation(of: Int.self, capacity: 16) { words in
                words.initialize(repeating: 0)
                let context = words.baseAddress.map { OpaquePointer($0) }
                setContext(context, issuer, certificate, nil, nil, 0)
                let made = make(nil, context, identifier, value)
                defer { free(made) }
                return made != nil && add(certificate, made, -1) == 1
            }
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
    private let free: OpenSSL.Free

    init(_ kind: TestCertificate.Key) throws(LoopbackServerError) {
        // `NID_X9_62_id_ecPublicKey` and `NID_rsaEncryption`.
        let (identifier, option, value, label): (Int32, String, String, String) =
            switch kind {
            case .p256: (408, "ec_paramgen_curve", "P-256", "EC PRIVATE KEY")
            case .p384: (408, "ec_paramgen_curve", "P-384", "EC PRIVATE KEY")
            case .rsa(let bits): (6, "rsa_keygen_bits", String(bits), "RSA PRIVATE KEY")
            }
        let functions = ("EVP_PKEY_keygen_init", "EVP_PKEY_keygen")
        pointer = try OpenSSL.make(identifier, functions, option, value, "to make a key \(kind)")
        free = try OpenSSL.crypto("EVP_PKEY_free")
        do throws(LoopbackServerError) {
            pem = try OpenSSL.pem(label, pointer, OpenSSL.crypto("i2d_PrivateKey")).text
        } catch {
            free(pointer)
            throw error
        }
    }

    deinit { free(pointer) }
}
