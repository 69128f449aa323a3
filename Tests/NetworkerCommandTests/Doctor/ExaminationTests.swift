import NetworkerKitSandbox
import TestSupport

@testable import NetworkerCommand

@Suite("networker doctor", .closing, .timeLimit(.minutes(1)))
struct ExaminationTests {
    private func channel(
        _ url: String, trust: ServerTrustManager = ServerTrustManager(), allowsInsecureConnections: Bool = false
    ) -> Channel {
        var environment = APIEnvironment("test", baseURL: url, isSimulated: true)
        environment.serverTrustManager = trust
        environment.allowsInsecureConnections = allowsInsecureConnections
        return closing(Channel(name: "test", environment: environment))
    }

    private func findings(_ channel: Channel, path: String = "", at date: Date = Date()) async -> [Examination.Finding] {
        var examination = Examination(channel: channel, path: path, timeout: .seconds(5))
        examination.now = { date }
        return await examination.findings()
    }

    private func verdicts(_ channel: Channel, at date: Date = Date()) async -> [String: String] {
        Dictionary(await findings(channel, at: date).map { ($0.subject, $0.verdict.rawValue) }) { first, _ in first }
    }

    @Test("a sound server, one with other pins, one with an unknown authority, and a wrong clock")
    func server() async throws {
        let sandbox = try await SandboxServer.start(.init(port: 0))
        let url = sandbox.baseURL("ty")
        let authorities = ServerTrustManager.Authorities.pem(sandbox.authorityPEM)
        func channel(pins: String...) -> Channel {
            self.channel(url, trust: ServerTrustManager(authorities: authorities, pins: PinSet(["localhost": pins])))
        }
        let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let well = channel(pins: try Certificate(pem: sandbox.certificatePEM).pin, other)
        let found = await verdicts(well)
        for subject in ["DNS", "connection", "TLS", "expiry", "pins"] {
            #expect(found[subject] == "good", "\(subject): \(found)")
        }
        #expect(found["clock"] == nil || found["clock"] == "good")
        let later = await verdicts(well, at: Date(timeIntervalSinceNow: 60 * 86_400))
        #expect(later["expiry"] == "bad")
        #expect(later["clock"] == nil || later["clock"] == "bad")
        let mismatched = channel(pins: other, other.replacing("AAA=", with: "AAE="))
        #expect(await verdicts(mismatched) == ["DNS": "good", "connection": "good", "pins": "bad"])
        #expect(await verdicts(self.channel(url)) == ["DNS": "good", "connection": "good", "TLS": "bad"])
        let target = try CallTarget(url, environment: nil, host: nil, authority: nil)
        let unknown = await findings(target.channel()).last
        #expect(unknown?.text.contains("this system's authorities (--authority names another)") == true, "\(unknown?.text ?? "")")
        await sandbox.stop()
    }

    @Test("an expiry of the same day is no expired certificate, and one of a moment ago is")
    func expiry() async throws {
        let sandbox = try await SandboxServer.start(.init(port: 0))
        let channel = channel(sandbox.baseURL("ty"), trust: ServerTrustManager(authorities: .pem(sandbox.authorityPEM)))
        let ends = try [sandbox.certificatePEM, sandbox.authorityPEM].map { try Certificate(pem: $0).details.notAfter }
        let end = try #require(ends.min())
        for (seconds, verdict, text) in [
            (-3_600, .warning, "the chain is valid for another less than a day"), (-100_000, .warning, "another 1 day"),
            (1, .bad, ""),
        ] as [(Double, Examination.Finding.Verdict, String)] {
            let finding = await findings(channel, at: end.addingTimeInterval(seconds)).first { $0.subject == "expiry" }
            #expect(finding?.verdict == verdict && finding?.text.hasSuffix(text) == true, "\(finding as Any)")
        }
        await sandbox.stop()
    }

    @Test("the path of an address is asked for, and its status is shown")
    func path() async throws {
        let server = try LoopbackServer.test { $0.target == "/v1/books?a=1" ? .ok() : .status(404) }
        func answer(_ word: String) async throws -> Examination.Finding? {
            let target = try CallTarget(word, environment: nil, host: nil, authority: nil)
            return await findings(target.channel(), path: target.path).first { $0.subject == "answer" }
        }
        let found = try await answer("\(server.url)/v1/books?a=1")
        #expect(found?.verdict == .good && found?.text == "GET \(server.url)/v1/books?a=1 has the status 200")
        #expect(try await answer("\(server.url)/v2")?.verdict == .warning)
        #expect(try await answer(server.url) == nil)
        #expect(server.requests.map(\.target) == ["/v1/books?a=1", "/v2", "/"])
    }

    @Test(
        "a server that wants a client certificate is named as that, whichever failure the request has",
        arguments: [ServerTLS.Version.tls12, .tls13])
    func clientCertificate(version: ServerTLS.Version) async throws {
        var tls = try ServerTLS(.clientAuthenticated)
        tls.versions = version...version
        let server = try LoopbackServer.test(tls: tls) { _ in .ok() }
        var trust = ServerTrustManager(authorities: .pem(tls.authorityPEM))
        let bare = channel(server.url, trust: trust)
        for _ in 0..<10 {
            let finding = try #require(await findings(bare).last)
            #expect(finding.subject == "client certificate" && finding.verdict == .bad, "\(finding)")
            #expect(finding.text.contains(version == .tls13 ? "the server wants" : "may want"), "\(finding.text)")
            #expect(finding.text.contains("client certificate") && finding.text.contains("serverTrustManager.identity = .pem("))
        }
        // A certificate of another authority is rejected by an alert of its own.
        let stranger = try TestAuthority().certificate(for: [], name: "client")
        trust.identity = .pem(certificates: stranger.pem, key: Secret(stranger.keyPEM))
        let rejected = try #require(await findings(channel(server.url, trust: trust)).last)
        #expect(rejected.text.hasPrefix("the server rejects the client's certificate ("), "\(rejected.text)")
    }

    @Test(
        "the page of a server that completes the handshake without a client certificate is understood",
        arguments: [
            (400, "<center>No required SSL certificate was sent</center>", true), (403, "Client certificate required", true),
            (400, "no such page", false), (404, "No required SSL certificate was sent", false),
        ])
    func clientCertificatePage(status: Int, page: String, isAboutIdentity: Bool) async throws {
        let server = try LoopbackServer.test { _ in .status(status, body: Data(page.utf8)) }
        let found = await verdicts(channel(server.url, allowsInsecureConnections: true))
        #expect(found["client certificate"] == (isAboutIdentity ? "warning" : nil))
    }

    @Test("a server that hangs up after the handshake for another reason is no server that wants a certificate")
    func hangsUp() async throws {
        let server = try LoopbackServer.test(tls: ServerTLS()) { _ in .garbage(Data()) }
        let trust = ServerTrustManager(authorities: .pem(try #require(server.tls).authorityPEM))
        let found = await verdicts(channel(server.url, trust: trust))
        #expect(found["exchange"] == "bad" && found["client certificate"] == nil, "\(found)")
    }

    @Test("a missing authority file is named, with the command that writes it")
    func missingAuthority() async {
        let path = "/nowhere/\(UUID().uuidString).pem"
        let findings = await findings(channel("https://127.0.0.1:9", trust: ServerTrustManager(authorities: .file(path))))
        #expect(findings.map(\.subject) == ["authorities"])
        #expect(findings.first?.text.contains(path) == true && findings.first?.text.contains("--authority") == true)
    }

    @Test("an unknown name, no server, a response that is not HTTP, and a channel with problems")
    func unreachable() async throws {
        #expect(await verdicts(channel("https://nowhere.invalid")) == ["DNS": "bad"])
        #expect(await verdicts(channel("https://127.0.0.1:9")) == ["connection": "bad"])
        #expect(await verdicts(channel("http://127.0.0.1:9")) == ["channel": "bad"])
        let server = try LoopbackServer.test { _ in .garbage(Data("SMTP ready\r\n\r\n".utf8)) }
        let found = await verdicts(channel(server.url, allowsInsecureConnections: true))
        // An address has no row for DNS.
        #expect(found == ["connection": "good", "exchange": "bad"])
    }
}
