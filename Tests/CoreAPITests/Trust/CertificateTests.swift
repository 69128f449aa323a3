import CoreAPI
import Foundation
import Testing

@testable import CoreAPITrust

@Suite("A certificate")
struct CertificateTests {
    @Test(
        "SHA-256, by the examples of FIPS 180",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(text: String, digest: String) {
        #expect(
            SHA256.digest(of: Data(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == digest)
    }

    @Test("SHA-256 of every length around a block")
    func lengths() {
        let digests = Set((0..<200).map { SHA256.digest(of: Data(repeating: 0x61, count: $0)) })
        #expect(digests.count == 200)
        let million = SHA256.digest(of: Data(repeating: 0x61, count: 1_000_000))
        #expect(million.base64EncodedString() == "zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=")
    }

    @Test("gives the pin that openssl gives, from PEM, DER and the public key alone")
    func pin() throws {
        let server = try NginxServer(http2: true)
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
    func malformed() throws {
        let server = try NginxServer(http2: true)
        let der = try Certificate(pem: server.authority).der
        for length in 0..<der.count { #expect(throws: CertificateError.self) { try Certificate(der: der.prefix(length)) } }
        #expect(throws: CertificateError.self) { try Certificate(der: der + [0]) }
        for position in 0..<min(der.count, 200) {
            var changed = der
            changed[position] ^= 0xFF
            _ = try? Certificate(der: changed)
        }
        for pem in ["", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----"] {
            #expect(throws: CertificateError.self) { try Certificate(pem: pem) }
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
