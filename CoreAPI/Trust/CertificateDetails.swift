public import Foundation

extension Certificate {
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

        init(_ parts: CertificateParts) throws(Certificate.ReadError) {
            subject = try DistinguishedName.text(of: parts.subject)
            issuer = try DistinguishedName.text(of: parts.issuer)
            var reader = DERReader(parts.validity.content)
            notBefore = try DERTime.next(in: &reader)
            notAfter = try DERTime.next(in: &reader)
            guard reader.isAtEnd else { throw .malformed("expected two dates of validity, got more") }
        }
    }

    /// Its names and dates, read from ``der`` at each access.
    ///
    /// - Throws: ``Certificate/ReadError``, also for a certificate that ``init(der:)`` accepts: a pin needs neither names nor dates.
    public var details: Certificate.Details {
        get throws(Certificate.ReadError) { try Certificate.Details(CertificateParts(der: der)) }
    }
}
