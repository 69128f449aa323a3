import NetworkerKitSandbox
import Testing

@Suite("A sandbox server", .serialized) struct LifetimeTests {
    @Test("has its own free port and certificate authority")
    func independent() async throws {
        let one = try await SandboxServer.start()
        let other = try await SandboxServer.start()
        #expect(one.port != other.port && one.authorityPEM != other.authorityPEM)
        #expect(one.baseURL("TY") == "https://localhost:\(one.port)/ty")
        await one.stop()
        await other.stop()
    }

    @Test("frees its port when it stops, and can be stopped twice")
    func stops() async throws {
        // Another test may get the port as soon as it is free, hence a few tries.
        for _ in 0..<10 {
            let first = try await SandboxServer.start()
            await first.stop()
            await first.stop()
            guard let second = try? await SandboxServer.start(.init(port: first.port)) else { continue }
            #expect(second.port == first.port)
            await second.stop()
            return
        }
        Issue.record("none of ten ports was free after its server had stopped")
    }

    @Test("reports that its port is taken")
    func taken() async throws {
        let first = try await SandboxServer.start()
        await #expect(throws: SandboxError.portTaken(first.port)) { try await SandboxServer.start(.init(port: first.port)) }
        await first.stop()
    }

    @Test("rejects a port that does not exist", arguments: [-1, 65_536])
    func impossiblePort(port: Int) async {
        await #expect(throws: SandboxError.portOutOfRange(port)) { try await SandboxServer.start(.init(port: port)) }
    }

    @Test("frees its port when it is released")
    func released() async throws {
        let port = try await SandboxServer.start().port
        // A task that was only cancelled closes the port, hence a few tries.
        for _ in 0..<100 {
            if let second = try? await SandboxServer.start(.init(port: port)) {
                await second.stop()
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("port \(port) was still taken two seconds later")
    }
}
