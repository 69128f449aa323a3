import Crypto
import Foundation
import HummingbirdHTTP2
import SwiftASN1
import X509

/// A certificate authority for one server, and the server's certificate signed by it; both P-256.
struct SandboxCertificates: Sendable {
    /// The authority's certificate.
    let authorityPEM: String
    /// The server's certificate.
    let certificatePEM: String
    /// The key of the server's certificate.
    private let keyPEM: String

    /// Makes both, valid from an hour before `date` (clocks differ a little) to thirty days after.
    init(validAround date: Date) throws {
        let authorityKey = P256.Signing.PrivateKey()
        let authorityName = try DistinguishedName { CommonName("Sandbox Authority") }
        let validity = (from: date.addingTimeInterval(-3600), to: date.addingTimeInterval(30 * 86_400))
        let serverKey = P256.Signing.PrivateKey()
        let serverKeyID = SubjectKeyIdentifier(hash: .init(serverKey.publicKey))
        let authorityKeyID = SubjectKeyIdentifier(hash: .init(authorityKey.publicKey))

        let authority = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(authorityKey.publicKey),
            notValidBefore: validity.from,
            notValidAfter: validity.to,
            issuer: authorityName,
            subject: authorityName,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                authorityKeyID
            },
            issuerPrivateKey: .init(authorityKey)
        )

        let server = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(serverKey.publicKey),
            notValidBefore: validity.from,
            notValidAfter: validity.to,
            issuer: authorityName,
            subject: try DistinguishedName { CommonName("localhost") },
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                serverKeyID
                AuthorityKeyIdentifier(keyIdentifier: authorityKeyID.keyIdentifier)
                SubjectAlternativeNames([
                    .dnsName("localhost"),
                    .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                    .ipAddress(ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
                ])
            },
            issuerPrivateKey: .init(authorityKey)
        )

        authorityPEM = try authority.serializeAsPEM().pemString
        certificatePEM = try server.serializeAsPEM().pemString
        keyPEM = serverKey.pemRepresentation
    }

    /// The server's TLS configuration: its certificate, the authority's certificate and its key.
    func tlsConfiguration() throws -> TLSConfiguration {
        let chain = try [certificatePEM, authorityPEM].map { pem in
            try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)
        }
        let key = try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem)
        return .makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
    }
}
