import ArgumentParser
import CoreAPI
import Foundation
import Sandbox
import Testing

@testable import NetworkerCommand

@Suite("networker pins", .timeLimit(.minutes(1)))
struct PinsCommandTests {
    @Test("lists the verified chain with pins that match the server")
    func chain() async throws {
        let sandbox = try await SandboxServer.start(.init(port: 0))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("authority-\(UUID().uuidString).pem")
        try sandbox.authorityPEM.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
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
        #expect(report.certificates.allSatisfy { $0.expires > Date() })
        await #expect(throws: APIClientError.self) {
            try await ChainProbe(address: address, trust: .system, timeout: .seconds(20)).certificates()
        }
        await sandbox.stop()
    }

    @Test("refuses an invalid host", arguments: ["https://example.com", "a b", "", "example.com/path", "u:p@h"])
    func usage(host: String) {
        #expect(throws: (any Error).self) { try PinsCommand.parse([host]) }
    }
}
