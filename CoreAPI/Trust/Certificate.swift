internal import CoreAPIHash
public import Foundation

/// An X.509 certificate, parsed as far as a pin needs it.
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

    /// - Parameter der: the DER of one certificate.
    /// - Throws: ``CertificateError``.
    public init(der: Data) throws(CertificateError) {
        var outer = DERReader(der)
        guard let certificate = outer.next(DERReader.sequence), outer.isAtEnd else {
            throw .malformed("expected one certificate in DER")
        }
        var parts = DERReader(certificate.content)
        guard let signed = parts.next(DERReader.sequence) else { throw .malformed("expected the signed part of a certificate") }
        var fields = DERReader(signed.content)
        var field = fields.next()
        if field?.tag == DERReader.version { field = fields.next() }
        guard field?.tag == DERReader.integer else { throw .malformed("expected a serial number") }
        // Signature algorithm, issuer, validity and subject precede the key.
        for _ in 0..<4 { field = fields.next(DERReader.sequence) }
        guard field != nil, let key = fields.next(DERReader.sequence), Self.isPublicKey(key.content) else {
            throw .malformed("expected a public key")
        }
        self.der = certificate.whole
        publicKey = key.whole
    }

    /// The first certificate of a PEM text (RFC 7468 §5).
    ///
    /// - Throws: ``CertificateError``.
    public init(pem: String) throws(CertificateError) {
        guard let first = try Self.all(inPEM: pem).first else { throw .malformed("expected a certificate in PEM, got none") }
        self = first
    }

    /// Every certificate of a PEM text, in order.
    ///
    /// - Throws: ``CertificateError`` for an unreadable certificate; a text without certificates gives an empty list.
    public static func all(inPEM text: String) throws(CertificateError) -> [Certificate] {
        var certificates: [Certificate] = []
        for der in try blocks("CERTIFICATE", in: text) { certificates.append(try Certificate(der: der)) }
        return certificates
    }

    /// The pin of a public key without a certificate, such as a backup key.
    ///
    /// - Parameter spki: a SubjectPublicKeyInfo in DER.
    public static func pin(ofPublicKey spki: Data) -> String {
        "sha256/" + Data(SHA256.hash(spki)).base64EncodedString()
    }

    /// The pin of a public key in PEM (`BEGIN PUBLIC KEY`).
    ///
    /// - Throws: ``CertificateError``.
    public static func pin(ofPublicKeyPEM text: String) throws(CertificateError) -> String {
        guard let spki = try blocks("PUBLIC KEY", in: text).first else {
            throw .malformed("expected a public key in PEM, got none")
        }
        var reader = DERReader(spki)
        guard let key = reader.next(DERReader.sequence), reader.isAtEnd, isPublicKey(key.content) else {
            throw .malformed("expected a SubjectPublicKeyInfo")
        }
        return pin(ofPublicKey: key.whole)
    }

    /// Whether the content is an algorithm and bits.
    private static func isPublicKey(_ content: Data) -> Bool {
        var reader = DERReader(content)
        return reader.next(DERReader.sequence) != nil && reader.next(DERReader.bitString) != nil && reader.isAtEnd
    }

    private static func blocks(_ label: String, in text: String) throws(CertificateError) -> [Data] {
        var blocks: [Data] = []
        for part in text.components(separatedBy: "-----BEGIN \(label)-----").dropFirst() {
            guard let end = part.range(of: "-----END \(label)-----"),
                let data = Data(base64Encoded: String(part[..<end.lowerBound].filter { !$0.isWhitespace }))
            else { throw .malformed("expected base64 between BEGIN \(label) and END \(label)") }
            blocks.append(data)
        }
        return blocks
    }
}

/// Why a certificate, a key or a pin file cannot be read.
public enum CertificateError: Error, Sendable, Hashable, LocalizedError {
    case malformed(String)
    case unreadable(file: String, reason: String)

    public var errorDescription: String? {
        switch self {
        case .malformed(let reason): "the certificate is malformed: \(reason)"
        case .unreadable(let file, let reason): "the file '\(file)' cannot be read: \(reason)"
        }
    }
}
