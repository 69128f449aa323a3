import TestSupport

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
        let url = server.url.replacingOccurrences(of: "localhost", with: host)
        let response = try await requests.send(.get, url)
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
            let response = await channel.manager().response(for: TestEndpoint(), as: .text)
            #expect((try? response.value) == "fine", "\(response.result)")
        }
    }

    @Test("report the name of a file that is missing, empty or not a certificate")
    func unreadable() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pins-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
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
