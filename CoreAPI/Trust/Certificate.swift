internal import CoreAPIHTTP
public import Foundation

/// An X.509 certificate, parsed as far as a pin needs it. ``details`` has its names and dates.
///
/// ```swift
/// let certificates = try Certificate.all(inPEM: String(contentsOfFile: "chain.pem", encoding: .utf8))
/// let pins = PinSet(["api.example.com": certificates.map(\.pin)])
/// ```
public struct Certificate: Sendable, Hashable {
    /// The certificate's DER.
    public let der: Data
    /// Its SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), DER.
    public let publicKey: Data

    /// The pin of its public key: `sha256/` and base64 (RFC 7469 §2.4).
    public var pin: String { Self.pin(ofPublicKey: publicKey) }

    /// Reads one certificate. Throws ``Certificate/ReadError``.
    public init(der: Data) throws(Certificate.ReadError) {
        let parts = try CertificateParts(der: der)
        // Copies, so that they begin at index 0 and hold no more than they show.
        self.der = Data(parts.whole.whole)
        publicKey = Data(parts.publicKey.whole)
    }

    /// The first certificate of a PEM text (RFC 7468 §5). Throws ``Certificate/ReadError``.
    public init(pem: String) throws(Certificate.ReadError) {
        guard let first = try Self.all(inPEM: pem).first else { throw .malformed("expected a certificate in PEM, got none") }
        self = first
    }

    /// Every certificate of a PEM text, in order.
    ///
    /// - Throws: ``Certificate/ReadError`` for an unreadable certificate; a text without certificates gives an empty list.
    public static func all(inPEM text: String) throws(Certificate.ReadError) -> [Certificate] {
        try blocks("CERTIFICATE", in: text).map { der throws(Certificate.ReadError) in try Certificate(der: der) }
    }

    /// The pin of a public key without a certificate, such as a backup key: a SubjectPublicKeyInfo in DER.
    public static func pin(ofPublicKey spki: Data) -> String { "sha256/" + Data(SHA256.hash(spki)).base64EncodedString() }

    /// The pin of a public key in PEM (`BEGIN PUBLIC KEY`). Throws ``Certificate/ReadError``.
    public static func pin(ofPublicKeyPEM text: String) throws(Certificate.ReadError) -> String {
        guard let spki = try blocks("PUBLIC KEY", in: text).first else {
            throw .malformed("expected a public key in PEM, got none")
        }
        var reader = DERReader(spki)
        guard let key = reader.next(DERReader.sequence), reader.isAtEnd, CertificateParts.isPublicKey(key.content) else {
            throw .malformed("expected a SubjectPublicKeyInfo")
        }
        return pin(ofPublicKey: key.whole)
    }

    private static func blocks(_ label: String, in text: String) throws(Certificate.ReadError) -> [Data] {
        var blocks: [Data] = []
        for part in text.split(separator: "-----BEGIN \(label)-----", omittingEmptySubsequences: false).dropFirst() {
            guard let end = part.firstRange(of: "-----END \(label)-----"),
                let data = Data(base64Encoded: String(part[..<end.lowerBound].filter { !$0.isWhitespace }))
            else { throw .malformed("expected base64 between BEGIN \(label) and END \(label)") }
            blocks.append(data)
        }
        return blocks
    }

    /// Why a certificate, a key or a pin file cannot be read.
    public enum ReadError: Error, Sendable, Hashable, LocalizedError {
        /// The bytes or the text are no certificate and no key; the reason is attached.
        case malformed(String)
        /// A file that cannot be read.
        case unreadable(file: String, reason: String)

        public var errorDescription: String? {
            switch self {
            case .malformed(let reason): "the certificate is malformed: \(reason)"
            case .unreadable(let file, let reason): "the file '\(file)' cannot be read: \(reason)"
            }
        }
    }

    static func contents(ofFile path: String) throws(Certificate.ReadError) -> Data {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .unreadable(file: path, reason: "there is no such file, or it may not be read")
        }
        return data
    }

    /// The names and dates of a certificate. They inform people; the TLS library has checked them where it matters.
    public struct Details: Sendable, Hashable {
        /// The name of the key's owner, in the form of RFC 4514: `CN=localhost,O=Example\, Inc.`. Control characters are escaped.
        /// Empty if the certificate has no name here; the host names are in an extension then.
        public let subject: String
        /// The name of the signer, in the same form.
        public let issuer: String
        /// The first second at which it is valid.
        public let notBefore: Date
        /// The last second at which it is valid.
        public let notAfter: Date
    }

    /// Its names and dates, read from ``der`` at each access.
    ///
    /// - Throws: ``Certificate/ReadError``, also for a certificate that ``init(der:)`` accepts: a pin needs neither names nor
    ///   dates.
    public var details: Certificate.Details {
        get throws(Certificate.ReadError) {
            let parts = try CertificateParts(der: der)
            let (subject, issuer) = try (DistinguishedName.text(of: parts.subject), DistinguishedName.text(of: parts.issuer))
            var reader = DERReader(parts.validity.content)
            let (first, last) = try (DERTime.next(in: &reader), DERTime.next(in: &reader))
            guard reader.isAtEnd else { throw .malformed("expected two dates of validity, got more") }
            return Details(subject: subject, issuer: issuer, notBefore: first, notAfter: last)
        }
    }
}
