import TestSupport

@Suite("mTLS", .closing, .timeLimit(.minutes(1)))
struct MutualTLSTests {
    @Test("files that were replaced apply to the next call, and files that cannot be read change nothing")
    func rotation() async throws {
        let authority = try TestAuthority()
        let folder = try temporaryFolder()
        func write(_ certificate: TestCertificate, _ names: String...) throws {
            let files = ["ca.pem": authority.pem, "client.pem": certificate.chainPEM, "client.key": certificate.keyPEM]
            for (name, text) in files where names.isEmpty || names.contains(name) {
                try Data(text.utf8).write(to: folder.appendingPathComponent(name))
            }
        }
        var tls = try ServerTLS(authority.certificate(), authority: authority)
        tls.clientAuthority = authority
        let (asked, gate) = (try Gate(), try Gate())
        let server = try LoopbackServer.test(tls: tls) {
            $0.target == "/slow" ? .ok().after(.open(asked), .waitFor(gate)) : .ok()
        }
        try write(authority.certificate(for: [], name: "client"))
        let identity = IdentityFolder(path: folder.path)
        var channel = Channel.ledger
        let lines = Shared("")
        channel.logger = CoreNetworkLogger { line in lines.change { $0 += line + "\n" } }
        channel.environment.baseURL = server.url
        let place = APIEnvironment.Switch(channel.environment)
        try reload(identity, into: place)
        channel.environmentSwitch = place
        let manager = closing(channel).manager
        func call(_ path: String = "entries") async -> Response<Void> {
            await manager.response(for: TypedEndpoint.get(path), as: .nothing)
        }

        #expect(await call().error == nil)
        try reload(identity, into: place)
        #expect(await call().metrics?.isConnectionReused == true)
        // Another pair, while a call waits.
        async let waiting = call("slow")
        try await asked.waitUntilOpen(timeout: .seconds(20))
        try write(authority.certificate(for: [], name: "client 2"))
        try reload(identity, into: place)
        #expect(await call().metrics?.isConnectionReused == false)
        gate.open()
        #expect(await waiting.error == nil)
        // One that the server does not accept.
        try write(TestAuthority(name: "Stranger").certificate(for: [], name: "client 3"), "client.pem", "client.key")
        try reload(identity, into: place)
        let rejected = await call().error?.label
        #expect(rejected == "transport.tls" || rejected == "transport.connectionLost", "\(rejected ?? "no error")")
        // Half of a pair, and then the whole one.
        let last = try authority.certificate(for: [], name: "client 4")
        try write(last, "client.pem")
        try reload(identity, into: place)
        #expect(await call().error?.label == "transport.tls")
        try write(last)
        try reload(identity, into: place)
        #expect(await call().error == nil)
        try FileManager.default.removeItem(at: folder.appendingPathComponent("client.key"))
        #expect(throws: (any Error).self) { try reload(identity, into: place) }
        #expect(await call().error == nil)
        let counts = ["request finished", "request failed", "PRIVATE KEY"].map { lines.current.ranges(of: $0).count }
        #expect(counts == [6, 2, 0], "\(lines.current)")
    }
}
