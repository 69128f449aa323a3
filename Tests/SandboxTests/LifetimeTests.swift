import Sandbox
import Testing

@Suite("A sandbox server", .serialized) struct LifetimeTests {
    @Test("takes a free port of its own, and a certificate authority of its own")
    func independent() async throws {
        let one = try await SandboxServer.start()
        let other = try await SandboxServer.start()
        #expect(one.port != other.port)
        #expect(one.authorityPEM != other.authorityPEM)
        #expect(one.baseURL("TY") == "https://localhost:\(one.port)/ty")
        await one.stop()
        await other.stop()
    }

    @Test("frees its port when it stops, and may be stopped twice")
    func stops() async throws {
        // Another test may be given the port the moment it is free, hence a few tries.
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

    @Test("says so when its port is taken")
    func taken() async throws {
        let first = try await SandboxServer.start()
        await #expect(throws: SandboxError.portTaken(first.port)) { try await SandboxServer.start(.init(port: first.port)) }
        await first.stop()
    }

    @Test("frees its port when nobody holds it any more")
    func released() async throws {
        let port = try await SandboxServer.start().port
        // The port is closed by a task that was only told to end, hence a few tries.
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
