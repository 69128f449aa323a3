import TestSupport

@Suite("The page about client certificates", .closing, .timeLimit(.minutes(1)))
struct MutualTLSTests {
    /// The files of a certificate agent, in a folder of the test's own.
    private struct Agent {
        let folder: URL

        init() throws { folder = try temporaryFolder() }

        func write(_ files: [String: String]) throws {
            for (name, text) in files {
                try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
            }
        }

        func write(_ certificate: TestCertificate, of authority: TestAuthority) throws {
            try write(["ca.pem": authority.pem, "client.pem": certificate.chainPEM, "client.key": certificate.keyPEM])
        }
    }

    @Test("files that were replaced apply to the next call, files that cannot be read change nothing, and the log is kept")
    func rotation() async throws {
        let authority = try TestAuthority()
        var tls = try ServerTLS(authority.certificate(), authority: authority)
        tls.clientAuthority = authority
        let (asked, gate) = (try Gate(), try Gate())
        let server = try LoopbackServer.test(tls: tls) { request in
            request.target == "/slow" ? .ok("booked").after(.open(asked), .waitFor(gate)) : .ok("booked")
        }
        let agent = try Agent()
        try agent.write(authority.certificate(for: [], name: "client"), of: authority)
        let folder = IdentityFolder(path: agent.folder.path)

        var channel = Channel.ledger.at(.production)
        #expect(channel.logger is CoreNetworkLogger)
        let seen = Seen()
        channel.logger = CoreNetworkLogger { line in seen.change { $0 += line + "\n" } }
        channel.environment.baseURL = server.url
        let place = APIEnvironment.Switch(channel.environment)
        place.environment.serverTrustManager = try folder.trust()
        channel.environmentSwitch = place
        let manager = NetworkManager<Never>(channel: closing(channel))
        func call(_ path: String = "entries") async -> Response<String> {
            await manager.response(for: TypedEndpoint.get(path), as: .text)
        }

        #expect(try await call().value == "booked")
        try reload(folder, into: place)
        let again = await call()
        #expect(again.error == nil && again.metrics?.isConnectionReused == true, "\(again)")

        // Another pair, while a call waits.
        async let waiting = call("slow")
        try await asked.waitUntilOpen(timeout: .seconds(20))
        try agent.write(authority.certificate(for: [], name: "client 2"), of: authority)
        try reload(folder, into: place)
        let renewed = await call()
        #expect(renewed.error == nil && renewed.metrics?.isConnectionReused == false, "\(renewed)")
        gate.open()
        #expect(try await waiting.value == "booked")

        // One that the server does not accept.
        let stranger = try TestAuthority(name: "Stranger").certificate(for: [], name: "client 3")
        try agent.write(["client.pem": stranger.chainPEM, "client.key": stranger.keyPEM])
        try reload(folder, into: place)
        let rejected = await call().error?.label
        #expect(rejected == "transport.tls" || rejected == "transport.connectionLost", "\(rejected ?? "no error")")

        // Half of a pair, and then the whole one.
        let last = try authority.certificate(for: [], name: "client 4")
        try agent.write(["client.pem": last.chainPEM])
        try reload(folder, into: place)
        #expect(await call().error?.label == "transport.tls")
        try agent.write(last, of: authority)
        try reload(folder, into: place)
        #expect(try await call().value == "booked")
        try FileManager.default.removeItem(at: agent.folder.appendingPathComponent("client.key"))
        #expect(throws: (any Error).self) { try reload(folder, into: place) }
        #expect(try await call().value == "booked")

        let lines = seen.text.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("request finished") }.count == 6, "\(seen.text)")
        #expect(lines.filter { $0.hasPrefix("request failed") }.count == 2 && !seen.text.contains("PRIVATE KEY"))
    }

    @Test("a file of authorities is read anew by each new connection")
    func authorities() async throws {
        let authority = try TestAuthority()
        let server = try LoopbackServer.test(tls: ServerTLS(authority.certificate(), authority: authority)) { _ in
            .ok("booked", headers: ["Connection": "close"])
        }
        let agent = try Agent()
        try agent.write(["ca.pem": TestAuthority(name: "Stranger").pem])
        var channel = Channel.ledger.at(.production)
        channel.logger = nil
        channel.environment.baseURL = server.url
        let file = agent.folder.appendingPathComponent("ca.pem").path
        channel.environment.serverTrustManager = ServerTrustManager(authorities: .file(file))
        let manager = NetworkManager<Never>(channel: closing(channel))
        #expect(await manager.response(for: TypedEndpoint.get("entries"), as: .text).error?.label == "transport.tls")
        try agent.write(["ca.pem": authority.pem])
        #expect(try await manager.response(for: TypedEndpoint.get("entries"), as: .text).value == "booked")
    }
}
