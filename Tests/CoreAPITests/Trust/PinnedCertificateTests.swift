import TestSupport

@testable import CoreAPICore
@testable import CoreAPITrust

@Suite("Certificates of the team's own type, and pin sets that reject other hosts", .closing)
struct PinnedCertificateTests {
    private struct Host: PinnedCertificate {
        let evaluatorKey: String
        let files: [Certificate.File]
        var allHostsMustBeEvaluated = true
    }

    private enum Hosts: PinnedCertificate, CaseIterable {
        case api, images

        static let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pins-\(UUID().uuidString)")
        var evaluatorKey: String { self == .api ? "localhost" : "*.images.example" }
        var files: [Certificate.File] { [Certificate.File(path: Self.folder.appendingPathComponent("ca.pem").path)] }
    }

    private func outcome(_ server: LoopbackServer, _ host: String, _ trust: ServerTrustManager) async throws -> String {
        let authority = try #require(server.tls).authorityPEM
        var trust = trust
        trust.authorities = .pem(authority)
        let transport = CurlTransport()
        var requests = Requests(transport)
        requests.trust = trust
        let response = try await requests.send(.get, server.url.replacingOccurrences(of: "localhost", with: host))
        await transport.close()
        return response.error.map { "\($0)" } ?? response.text
    }

    @Test("are read from PEM and DER and pin their host; other hosts are rejected by default")
    func hosts() async throws {
        let server = try LoopbackServer.start(tls: ServerTLS()) { _ in .ok("fine") }
        let stranger = try LoopbackServer.start(tls: ServerTLS()) { _ in .ok("fine") }
        let folder = Hosts.folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pem = try #require(server.tls).authorityPEM
        try Data(pem.utf8).write(to: folder.appendingPathComponent("ca.pem"))
        try Certificate(pem: pem).der.write(to: folder.appendingPathComponent("ca.der"))
        for name in ["ca.pem", "ca.der"] {
            let file = Certificate.File(path: folder.appendingPathComponent(name).path)
            var host = Host(evaluatorKey: "localhost", files: [file])
            #expect(try await outcome(server, "localhost", host.serverTrustManager) == "fine")
            #expect(try await outcome(stranger, "localhost", host.serverTrustManager).contains("matches none of its pins"))
            // The same server by a name that the pins do not cover.
            let rejected = try await outcome(server, "127.0.0.1", host.serverTrustManager)
            #expect(rejected.contains("the pin set names no pins for it and rejects other hosts"), "\(rejected)")
            host.allHostsMustBeEvaluated = false
            #expect(try await outcome(server, "127.0.0.1", host.serverTrustManager) == "fine")
        }
        let all = try Hosts.serverTrustManager
        #expect(all.pins.pins.keys.sorted() == ["*.images.example", "localhost"] && all.pins.rejectsOtherHosts)
        #expect(try await outcome(server, "localhost", all) == "fine")
    }

    @Test("a channel that rejects other hosts connects to a test's server")
    func swapped() async throws {
        let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let server = try LoopbackServer.test(tls: ServerTLS()) { _ in .ok("fine") }
        var channel = Channel.test("https://api.example")
        channel.environment.serverTrustManager.pins = ["api.example": [pin, pin.replacing("AAA=", with: "AAE=")]]
        channel.environment.serverTrustManager.pins.rejectsOtherHosts = true
        await withChannel(channel, server: server) {
            let response = await channel.manager.response(for: TestEndpoint(), as: .text)
            #expect((try? response.value) == "fine", "\(response.result)")
        }
    }

    @Test("report the name of a file that is missing, empty or not a certificate")
    func unreadable() throws {
        let folder = try temporaryFolder("pins")
        let rubbish = folder.appendingPathComponent("rubbish.der")
        try Data("rubbish".utf8).write(to: rubbish)
        for file in [
            Certificate.File(path: folder.path + "/missing.der"), Certificate.File(name: "nowhere"),
            Certificate.File(path: rubbish.path),
        ] {
            #expect(throws: Certificate.ReadError.self) {
                _ = try Host(evaluatorKey: "h.example", files: [file]).serverTrustManager
            }
        }
        #expect(throws: Certificate.ReadError.self) { _ = try Host(evaluatorKey: "h.example", files: []).pins }
    }

    @Test("a pin file may say that other hosts are rejected; report only reports them")
    func file() throws {
        let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let text = #"{"pins": {"a.example": ["\#(pin)", "\#(pin.replacing("AAA=", with: "AAE="))"]}, "rejectsOtherHosts": true}"#
        var set = try PinSet(parsing: Data(text.utf8), file: "pins.json")
        #expect(set.rejects("b.example") && !set.rejects("a.example"))
        set.mode = .reportOnly
        #expect(!set.rejects("b.example"))
    }
}

@Suite("A pin set")
struct PinSetTests {
    private static let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    @Test(
        "pins the hosts that its patterns name",
        arguments: [
            ("example.com", "example.com", true), ("example.com", "EXAMPLE.com", true), ("example.com", "example.com.", true),
            ("example.com.", "example.com", true), ("example.com", "a.example.com", false),
            ("example.com", "badexample.com", false), ("*.example.com", "a.example.com", true),
            ("*.example.com", "a.example.com.", true), ("*.example.com", "example.com", false),
            ("*.example.com", "b.a.example.com", false), ("*.example.com", ".example.com", false),
            ("**.example.com", "b.a.example.com", true), ("**.example.com", "a.example.com", true),
            ("**.example.com", "example.com", true), ("**.example.com", "badexample.com", false),
        ])
    func patterns(pattern: String, host: String, isPinned: Bool) {
        #expect(PinSet([pattern: [Self.pin]]).pins(for: host).isEmpty == !isPinned)
    }

    @Test(
        "says which patterns fit no host, because they would pin nothing",
        arguments: [
            "https://api.example.com", "api.example.com:443", " example.com", "*", "*.*.example.com", "müller.de", "a/b", "",
            "*.", "exa mple.com", "api.example.com/v1", "*.::1", "*.[::1]", "**.127.0.0.1",
        ])
    func malformed(pattern: String) {
        let pins = [Self.pin(0), Self.pin(1)]
        #expect(PinSet([pattern: pins]).problems.count == 1)
        for sound in [
            "example.com", "EXAMPLE.com.", "*.example.com", "**.example.com", "127.0.0.1", "::1", "[::1]", "xn--mller-kva.de",
            "localhost",
        ] { #expect(PinSet([sound: pins]).problems.isEmpty, "\(sound)") }
    }

    private static func pin(_ byte: UInt8) -> String { "sha256/" + Data(repeating: byte, count: 32).base64EncodedString() }

    @Test("pins an IPv6 address, written with brackets or without", arguments: ["::1", "[::1]", "0:0::1", "[0000::0001]"])
    func address(pattern: String) throws {
        for text in ["[::1]", "[0:0::1]", "[0:0:0:0:0:0:0:1]", "[::0.0.0.1]"] {
            let host = try HTTPURL("https://\(text):8443/").host
            #expect(host == "[::1]" && PinSet([pattern: [Self.pin(0)]]).pins(for: host) == [Self.pin(0)])
        }
    }

    @Test("joins the pins of all matching patterns")
    func several() {
        let other = "sha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="
        let pins: PinSet = ["**.example.com": [other], "a.example.com": [Self.pin]]
        #expect(pins.pins(for: "a.example.com") == [Self.pin, other])
    }
}

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
