import TestSupport

@testable import CoreAPITrust

@Suite("A certificate's names and dates", .closing, .timeLimit(.minutes(1)))
struct CertificateDetailsTests {
    /// Letters that BMPString (0x800) and TeletexString (0x4) have too.
    private static let latin = ["O = \"Çiçek, Sepeti\"", "CN = \"a+b \\\"c\\\" \""]

    @Test(
        "are those that openssl prints, whatever type the texts have",
        arguments: [
            (
                "utf8only",
                [
                    "C = TR", "ST = \"#Ankara \"", "L = \" \\\" x\"", "O = \"Çiçek, Sepeti + <Ltd>; a\\\\b=c\"", "0.OU = first",
                    "1.OU = second", "+CN = localhost", "emailAddress = a@example.com", "serialNumber = 12 3", "DC = example",
                    "UID = u1", "street = Main", "postalCode = 06", "organizationIdentifier = VATTR-1",
                    "businessCategory = Private", "jurisdictionC = TR", "jurisdictionST = x", "jurisdictionL = y", "GN = given",
                    "SN = sur", "title = Dr", "0.1.2.3.4.5 = unknown", "0.2.999.1 = two",
                ]
            ),
            ("MASK:0x800", latin), ("MASK:0x4", latin),
        ])
    func openssl(mask: String, name: [String]) async throws {
        let folder = try Folder()
        let der = try await folder.certificate(mask: mask, name: name, days: 90)
        let details = try Certificate(der: der).details
        let said = try await folder.details(of: der)
        #expect(details.subject == said["subject"])
        #expect(details.issuer == "CN=Authority" && details.issuer == said["issuer"])
        #expect(details.notBefore.formatted(.iso8601) == said["notBefore"])
        #expect(details.notAfter.formatted(.iso8601) == said["notAfter"])
        #expect(abs(details.notAfter.timeIntervalSince(details.notBefore) - 90 * 86_400) < 5)
    }

    /// The dates are exchanged in the certificate; openssl prints them without a look at the signature.
    @Test(
        "have the date that openssl prints, in both forms",
        arguments: [
            (0x17, "500101000000Z"), (0x17, "491231235959Z"), (0x17, "000229120000Z"), (0x17, "991231235959Z"),
            (0x17, "700101000000Z"), (0x18, "99991231235959Z"), (0x18, "20500101000000Z"), (0x18, "21000228235959Z"),
            (0x18, "19491231235959Z"), (0x18, "24000229000000Z"), (0x18, "16000301000000Z"),
        ] as [(UInt8, String)])
    func dates(tag: UInt8, text: String) async throws {
        let folder = try Folder()
        // Beyond 2049 it is a GeneralizedTime.
        let der = try await folder.certificate(mask: "utf8only", name: ["CN = x"], days: tag == 0x17 ? 90 : 20_000)
        let parts = try CertificateParts(der: der)
        let last = Data(parts.validity.content.suffix(text.utf8.count + 2))
        let range = try #require(der.range(of: last))
        let changed = der.prefix(range.lowerBound) + Self.element(tag, Array(text.utf8)) + der.suffix(from: range.upperBound)
        let details = try Certificate(der: changed).details
        #expect(details.notAfter.formatted(.iso8601) == (try await folder.details(of: changed)["notAfter"]))
    }

    @Test(
        "a date that does not exist, or in another form, is an error",
        arguments: [
            (0x17, "990229000000Z"), (0x17, "991301000000Z"), (0x17, "990001000000Z"), (0x17, "990100000000Z"),
            (0x17, "990101240000Z"), (0x17, "990101006000Z"), (0x17, "990101000060Z"), (0x17, "9901010000Z"),
            (0x17, "990101000000"), (0x17, "990101000000+0100"), (0x17, "99010100000 Z"), (0x17, "Z"), (0x17, ""),
            (0x17, "19990101000000Z"), (0x18, "990101000000Z"), (0x18, "19990101000000.5Z"), (0x18, "00000101000000Z"),
            (0x18, "19000229000000Z"), (0x18, "-9990101000000Z"), (0x0C, "990101000000Z"),
        ] as [(UInt8, String)])
    func badDates(tag: UInt8, text: String) {
        var reader = DERReader(Self.element(tag, Array(text.utf8)))
        #expect(throws: Certificate.ReadError.self) { try DERTime.next(in: &reader) }
    }

    @Test(
        "a value escapes what would end it or steer a terminal, and one that is no text is shown in hexadecimal",
        arguments: [
            (0x0C, Array("a\u{1B}[31m\n\u{0}".utf8), "CN=a\\1B[31m\\0A\\00"),
            (0x0C, Array("\u{202E}x\u{85}".utf8), "CN=\\E2\\80\\AEx\\C2\\85"), (0x0C, Array("  # ".utf8), "CN=\\  #\\ "),
            (0x0C, Array(" ".utf8), "CN=\\ "), (0x0C, [], "CN="), (0x0C, [0xFF, 0x41], "CN=#0C02FF41"),
            (0x13, [0x41, 0xC3], "CN=#130241C3"), (0x14, [0x41, 0xC7], "CN=AÇ"), (0x1E, [0x00, 0x41, 0x01, 0x5E], "CN=AŞ"),
            (0x1E, [0x00, 0x41, 0x01], "CN=#1E03004101"), (0x1E, [0xD8, 0x00], "CN=#1E02D800"),
            (0x1E, [0xD8, 0x3D, 0xDE, 0x00], "CN=😀"), (0x1C, [0x00, 0x01, 0xF6, 0x00], "CN=😀"),
            (0x1C, [0xFF, 0xFF, 0xFF, 0xFF], "CN=#1C04FFFFFFFF"), (0x02, [0x05], "CN=#020105"),
        ] as [(UInt8, [UInt8], String)])
    func values(tag: UInt8, content: [UInt8], text: String) throws {
        #expect(try Self.text(ofName: Self.set(type: [0x55, 0x04, 0x03], value: Self.element(tag, content))) == text)
    }

    @Test(
        "a type without a name is in numbers, and a malformed one is an error",
        arguments: [
            ([0x00], "0.0"), ([0x27], "0.39"), ([0x28], "1.0"), ([0x4F], "1.39"), ([0x50], "2.0"), ([0x88, 0x37], "2.999"),
            ([0x2A, 0x83, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], "1.2.2251799813685247"),
            ([], nil), ([0x2A, 0x86], nil), ([0x2A, 0x80, 0x01], nil), ([0x80], nil),
            ([0x2A] + [UInt8](repeating: 0xFF, count: 9) + [0x7F], nil), ([UInt8](repeating: 0xFF, count: 100), nil),
        ] as [([UInt8], String?)])
    func types(content: [UInt8], text: String?) throws {
        let name = Self.set(type: content, value: Self.element(0x0C, Array("x".utf8)))
        if let text {
            #expect(try Self.text(ofName: name) == "\(text)=#0C0178")
        } else {
            #expect(throws: Certificate.ReadError.self) { try Self.text(ofName: name) }
        }
    }

    @Test("a name of no parts is empty; a part that is no set of attributes is an error")
    func shapes() throws {
        #expect(try Self.text(ofName: Data()).isEmpty)
        let value = Self.element(0x0C, [0x78])
        let type = Self.element(0x06, [0x55, 0x04, 0x03])
        for part in [
            Self.element(0x31, []), Self.element(0x30, []), Self.element(0x31, [0x30]), Self.element(0x31, [0x30, 0x00]),
            Self.element(0x31, [UInt8](type)), Self.element(0x31, [UInt8](Self.element(0x30, [UInt8](type)))),
            Self.element(0x31, [UInt8](Self.element(0x30, [UInt8](value + type)))),
            Self.element(0x31, [UInt8](Self.element(0x30, [UInt8](type + value + value)))), Data([0x31, 0x80]),
        ] { #expect(throws: Certificate.ReadError.self, "\(Array(part))") { try Self.text(ofName: part) } }
    }

    @Test("of a damaged certificate are an error, or harmless text and dates")
    func damaged() async throws {
        let der = try await Folder().certificate(mask: "utf8only", name: ["O = \"Çiçek\"", "CN = localhost"], days: 90)
        var read = 0
        for index in der.indices {
            for bit in 0..<8 {
                var changed = der
                changed[index] ^= 1 << bit
                guard let details = try? Certificate(der: changed).details else { continue }
                read += 1
                for name in [details.subject, details.issuer] {
                    #expect(!name.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(index) \(bit)")
                }
            }
        }
        #expect(read > 0)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> Data {
        Data([tag] + (content.count < 128 ? [UInt8(content.count)] : [0x81, UInt8(content.count)]) + content)
    }

    private static func set(type: [UInt8], value: Data) -> Data {
        element(0x31, [UInt8](element(0x30, [UInt8](element(0x06, type) + value))))
    }

    private static func text(ofName parts: Data) throws -> String {
        var reader = DERReader(element(0x30, [UInt8](parts)))
        let name = reader.next()
        return try DistinguishedName.text(of: #require(name))
    }

    private struct Folder {
        private let url: URL

        init() throws { url = try temporaryFolder("details") }

        private func path(_ name: String) -> String { url.appendingPathComponent(name).path }

        /// - Parameters:
        ///   - mask: the types of text that openssl may use.
        ///   - name: the subject, in lines of openssl's configuration. The issuer is `CN=Authority`.
        func certificate(mask: String, name: [String], days: Int) async throws -> Data {
            let head = "[req]\nprompt = no\nutf8 = yes\nstring_mask = \(mask)\ndistinguished_name = dn\n[dn]\n"
            let request = ["openssl", "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
            try Data((head + "CN = Authority\n").utf8).write(to: url.appendingPathComponent("ca.cnf"))
            try Data((head + name.joined(separator: "\n") + "\n").utf8).write(to: url.appendingPathComponent("own.cnf"))
            try await run(request + ["-config", path("ca.cnf"), "-keyout", path("ca.key"), "-out", path("ca.pem")])
            try await run(
                request + [
                    "-config", path("own.cnf"), "-keyout", path("own.key"), "-out", path("own.der"), "-outform", "DER",
                    "-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-days", "\(days)",
                ])
            return try Data(contentsOf: url.appendingPathComponent("own.der"))
        }

        /// What openssl prints, by its names for the parts.
        func details(of der: Data) async throws -> [String: String] {
            try der.write(to: url.appendingPathComponent("printed.der"))
            let text = try await run([
                "openssl", "x509", "-inform", "DER", "-in", path("printed.der"), "-noout", "-subject", "-issuer", "-dates",
                "-nameopt", "RFC2253,-esc_msb", "-dateopt", "iso_8601",
            ])
            var details: [String: String] = [:]
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { continue }
                details[parts[0]] = parts[0].hasPrefix("not") ? parts[1].replacing(" ", with: "T") : parts[1]
            }
            return details
        }

        @discardableResult
        private func run(_ arguments: [String]) async throws -> String {
            let run = try await Program.run(arguments, capturesErrors: true)
            try #require(run.status == 0, "\(run.text)")
            return run.text
        }
    }
}
