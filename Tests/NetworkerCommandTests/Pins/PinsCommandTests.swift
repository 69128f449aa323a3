import ArgumentParser
import NetworkerKitSandbox
import TestSupport

@testable import NetworkerCommand

@Suite("networker pins", .closing, .timeLimit(.minutes(1)))
struct PinsCommandTests {
    @Test("lists the verified chain with pins that match the server")
    func chain() async throws {
        let sandbox = try await SandboxServer.start(.init(port: 0))
        let file = try written(sandbox.authorityPEM)
        let address = try HTTPURL("https://localhost:\(sandbox.port)")
        let certificates = try await ChainProbe(
            address: address, trust: ServerTrustManager(authorities: .file(file.path)), timeout: .seconds(20)
        ).certificates()
        #expect(
            certificates.map(\.pin) == [
                try Certificate(pem: sandbox.certificatePEM).pin, try Certificate(pem: sandbox.authorityPEM).pin,
            ])
        let report = PinReport(host: "localhost", certificates)
        #expect(report.certificates.last?.subject.contains("Sandbox Authority") == true)
        let text = report.rendered()
        #expect(text.contains(certificates[0].pin) && text.contains("PinSet([\"localhost\": ["))
        #expect(report.certificates.allSatisfy { $0.expires.map { $0 > Date() } == true })
        await #expect(throws: APIClientError.self) {
            try await ChainProbe(address: address, trust: .system, timeout: .seconds(20)).certificates()
        }
        await sandbox.stop()
    }

    @Test("a certificate without an issuer needs the pin of another key beside its own")
    func selfSigned() throws {
        let certificate = try Certificate(pem: try TestCertificate.selfSigned().pem)
        let text = PinReport(host: "localhost", [certificate]).rendered()
        #expect(text.contains("\"\(certificate.pin)\",") && text.contains("// and the pin of a backup key"), "\(text)")
        #expect(text.contains("The certificate has no issuer"))
    }

    @Test("a server without a chain is an error, not an empty pin set")
    func noChain() async throws {
        let server = try LoopbackServer.test { _ in .ok() }
        await #expect(throws: (any Error).self) {
            try await ChainProbe(address: HTTPURL(server.url), trust: .system, timeout: .seconds(20)).certificates()
        }
    }

    @Test("accepts --authority as the other commands do")
    func authority() throws {
        #expect(try PinsCommand.parse(["localhost", "--authority", "system"]).options.authority == .system)
        #expect(throws: (any Error).self) { try PinsCommand.parse(["localhost", "--authority", "/nowhere/x.pem"]) }
    }

    @Test("rejects an invalid host", arguments: ["https://example.com", "a b", "", "example.com/path", "u:p@h"])
    func usage(host: String) { #expect(throws: (any Error).self) { try PinsCommand.parse([host]) } }
}
