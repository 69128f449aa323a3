import CoreAPI
import Foundation

@testable import CoreAPITrust

extension FuzzTarget {
    /// A certificate in DER, or one or more certificates and keys in PEM.
    static let certificate = FuzzTarget(name: "certificate") { input in
        let (data, text) = (input.data, input.text)
        if let certificate = try? Certificate(der: data) {
            check(certificate)
            expect(certificate.der == data, "the whole input is one certificate")
        }
        for certificate in (try? Certificate.all(inPEM: text)) ?? [] { check(certificate) }
        _ = try? Certificate.pin(ofPublicKeyPEM: text)

        var reader = DERReader(data)
        var read = 0
        while let element = reader.next() {
            expect(element.content.count < element.whole.count, "a tag and a length stand before the content")
            read += element.whole.count
        }
        expect(read <= data.count, "elements lie side by side")
        expect(!reader.isAtEnd || read == data.count, "at the end everything is read")
    }

    private static func check(_ certificate: Certificate) {
        expect((try? Certificate(der: certificate.der)) == certificate, "parsed again")
        expect(certificate.der.range(of: certificate.publicKey) != nil, "the key is a part of the certificate")
        let pem = "-----BEGIN CERTIFICATE-----\n\(certificate.der.base64EncodedString())\n-----END CERTIFICATE-----\n"
        expect((try? Certificate.all(inPEM: pem + pem)) == [certificate, certificate], "in PEM and back")
        let key = "-----BEGIN PUBLIC KEY-----\n\(certificate.publicKey.base64EncodedString())\n-----END PUBLIC KEY-----"
        expect((try? Certificate.pin(ofPublicKeyPEM: key)) == certificate.pin, "the pin of a certificate is that of its key")
        expect(PinSet(["a.example": [certificate.pin]]).problems.isEmpty, "a pin is well-formed")
        guard let details = try? certificate.details else { return }
        for name in [details.subject, details.issuer] {
            expect(!name.unicodeScalars.contains { $0.properties.generalCategory == .control }, "control characters are escaped")
        }
        let years = Date(timeIntervalSince1970: -62_135_596_800)...Date(timeIntervalSince1970: 253_402_300_799)
        expect(years.contains(details.notBefore) && years.contains(details.notAfter), "dates of the years 1 to 9999")
    }

    /// A host name on the first line, and a pin-set file below it.
    static let pinSet = FuzzTarget(name: "pin-set") { input in
        let host = input.lineOfText()
        guard let pins = try? PinSet(parsing: input.data, file: "fuzz.json") else { return }
        expect(pins.problems.isEmpty, "what was taken is sound: \(pins.problems)")
        expect(Set(pins.pins.values.joined()).isSuperset(of: pins.pins(for: host)), "pins of the set and no others")
        for pattern in pins.pins.keys where !pattern.contains("*") {
            expect(!pins.pins(for: pattern).isEmpty, "a plain name fits itself: \(pattern.debugDescription)")
        }
    }
}
