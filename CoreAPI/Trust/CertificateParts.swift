internal import Foundation

/// The parts of a certificate that the kit reads, still in DER (RFC 5280 §4.1).
struct CertificateParts {
    let whole: DERReader.Element
    let issuer: DERReader.Element
    let validity: DERReader.Element
    let subject: DERReader.Element
    let publicKey: DERReader.Element

    init(der: Data) throws(Certificate.ReadError) {
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
        guard fields.next(DERReader.sequence) != nil else { throw .malformed("expected a signature algorithm") }
        guard let issuer = fields.next(DERReader.sequence), let validity = fields.next(DERReader.sequence),
            let subject = fields.next(DERReader.sequence)
        else { throw .malformed("expected an issuer, a validity and a subject") }
        guard let key = fields.next(DERReader.sequence), Self.isPublicKey(key.content) else {
            throw .malformed("expected a public key")
        }
        whole = certificate
        self.issuer = issuer
        self.validity = validity
        self.subject = subject
        publicKey = key
    }

    /// Whether the content is an algorithm and bits.
    static func isPublicKey(_ content: Data) -> Bool {
        var reader = DERReader(content)
        return reader.next(DERReader.sequence) != nil && reader.next(DERReader.bitString) != nil && reader.isAtEnd
    }
}
