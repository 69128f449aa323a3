import TestSupport

@testable import CoreAPITrust

@Suite("A certificate")
struct CertificateTests {
    @Test("gives the pin that openssl gives, from PEM, DER and the public key alone")
    func pin() async throws {
        let server = try await NginxServer(http2: true)
        let pem = try String(contentsOf: server.directory.appendingPathComponent("s.pem"), encoding: .utf8)
        let certificate = try Certificate(pem: pem)
        #expect(certificate.pin == server.pin)
        #expect(try Certificate(der: certificate.der).pin == server.pin)
        #expect(Certificate.pin(ofPublicKey: certificate.publicKey) == server.pin)
        let key = "-----BEGIN PUBLIC KEY-----\n\(certificate.publicKey.base64EncodedString())\n-----END PUBLIC KEY-----\n"
        #expect(try Certificate.pin(ofPublicKeyPEM: key) == server.pin)
        #expect(try Certificate.all(inPEM: pem + "\n" + server.authority).count == 2)
    }

    @Test("an invalid or truncated certificate is an error")
    func malformed() async throws {
        let server = try await NginxServer(http2: true)
        let der = try Certificate(pem: server.authority).der
        for length in 0..<der.count { #expect(throws: Certificate.ReadError.self) { try Certificate(der: der.prefix(length)) } }
        #expect(throws: Certificate.ReadError.self) { try Certificate(der: der + [0]) }
        for position in 0..<min(der.count, 200) {
            var changed = der
            changed[position] ^= 0xFF
            _ = try? Certificate(der: changed)
        }
        for pem in ["", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----"] {
            #expect(throws: Certificate.ReadError.self) { try Certificate(pem: pem) }
        }
    }

    @Test("a secret is never printed")
    func secret() {
        struct Holder { let passphrase: Secret<String> = "s3cret"; let data = Secret(Data("s3cret".utf8)) }
        var text = "\(Holder()) \(String(reflecting: Holder())) \(Secret([1, 2]))"
        dump(Holder(), to: &text)
        dump(ClientIdentity.pem(certificates: "c", key: "s3cret", passphrase: "s3cret"), to: &text)
        text += "\(ServerTrustManager(identity: .pkcs12(Data("s3cret".utf8), passphrase: "s3cret")))"
        #expect(!text.contains("s3cret") && !text.contains("115"), "\(text)")
        #expect("\(Secret("s3cret"))" == "<redacted>" && String(reflecting: Secret("s3cret")) == "<redacted>")
        #expect(Secret("a").revealed == "a")
    }
}
