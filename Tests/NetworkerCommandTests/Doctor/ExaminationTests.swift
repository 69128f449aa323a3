import CoreAPI
import CoreAPITesting
import Foundation
import Sandbox
import Testing

@testable import NetworkerCommand

@Suite("networker doctor", .timeLimit(.minutes(1)))
struct ExaminationTests {
    private func channel(_ url: String, change: (inout APIEnvironment) -> Void = { _ in }) -> Channel {
        var environment = APIEnvironment("test", baseURL: url, isSimulated: true)
        change(&environment)
        return Channel(name: "test", environment: environment)
    }

    private func verdicts(_ channel: Channel, at date: Date = Date()) async -> [String: String] {
        var examination = Examination(channel: channel, timeout: .seconds(5))
        examination.now = { date }
        let findings = await examination.findings()
        return Dictionary(findings.map { ($0.subject, $0.verdict.rawValue) }) { first, _ in first }
    }

    @Test("a sound server, one with other pins, one with an unknown authority, and a wrong clock")
    func server() async throws {
        let sandbox = try await SandboxServer.start(.init(port: 0))
        let url = sandbox.baseURL("ty")
        let authorities = ServerTrustManager.Authorities.pem(sandbox.authorityPEM)
        let pin = try Certificate(pem: sandbox.certificatePEM).pin
        let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let well = channel(url) {
            $0.serverTrustManager = ServerTrustManager(authorities: authorities, pins: ["localhost": [pin, other]])
        }
        let found = await verdicts(well)
        for subject in ["DNS", "connection", "TLS", "expiry", "pins"] {
            #expect(found[subject] == "good", "\(subject): \(found)")
        }
        #expect(found["clock"] == nil || found["clock"] == "good")
        let later = await verdicts(well, at: Date(timeIntervalSinceNow: 60 * 86_400))
        #expect(later["expiry"] == "bad")
        #expect(later["clock"] == nil || later["clock"] == "bad")
        let mismatched = channel(url) {
            $0.serverTrustManager = ServerTrustManager(
                authorities: authorities, pins: ["localhost": [other, other.replacing("AAA=", with: "AAE=")]])
        }
        #expect(await verdicts(mismatched) == ["pins": "bad"])
        #expect(await verdicts(channel(url)) == ["TLS": "bad"])
        await sandbox.stop()
    }

    @Test("a missing authority file is named, with the command that writes it")
    func missingAuthority() async {
        let path = "/nowhere/\(UUID().uuidString).pem"
        let channel = channel("https://127.0.0.1:9") { $0.serverTrustManager = ServerTrustManager(authorities: .file(path)) }
        let findings = await Examination(channel: channel, timeout: .seconds(5)).findings()
        #expect(findings.map(\.subject) == ["authorities"])
        #expect(findings.first?.text.contains(path) == true && findings.first?.text.contains("--authority") == true)
    }

    @Test("an unknown name, no server, an answer that is not HTTP, and a channel with problems")
    func unreachable() async throws {
        #expect(await verdicts(channel("https://nowhere.invalid")) == ["DNS": "bad"])
        #expect(await verdicts(channel("https://127.0.0.1:9")) == ["connection": "bad"])
        #expect(await verdicts(channel("http://127.0.0.1:9")) == ["channel": "bad"])
        let server = try LoopbackServer.start { _ in .garbage(Data("SMTP ready\r\n\r\n".utf8)) }
        defer { server.close() }
        #expect(await verdicts(channel(server.url) { $0.allowsInsecureConnections = true }) == ["exchange": "bad"])
    }
}
