import CoreAPI
import Sandbox

/// Starts a sandbox of the test's own and lets the channel speak to it inside the closure; ends both after it.
func withSandbox<Result>(
    _ channel: Channel, _ options: SandboxOptions = SandboxOptions(), operation: (SandboxServer) async throws -> Result
) async throws -> Result {
    let server = try await SandboxServer.start(options)
    let channel = channel.speaking(to: server)
    do {
        let result = try await ChannelOverride.with(channel) { try await operation(server) }
        await channel.close()
        await server.stop()
        return result
    } catch {
        await channel.close()
        await server.stop()
        throw error
    }
}

extension Channel {
    /// The channel at the server's address, trusting its authority and no other; silent.
    func speaking(to server: SandboxServer) -> Channel {
        var channel = self
        channel.environment.baseURL = server.baseURL(name)
        channel.environment.serverTrustManager = ServerTrustManager(authorities: .pem(server.authorityPEM))
        // Hundreds of calls would bury what the tests have to say.
        channel.logger = SilentLogger()
        return channel
    }
}
