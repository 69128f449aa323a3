import NetworkerKitSandbox
import TestSupport

/// Starts a sandbox for the test and directs the channel to it inside the closure; closes both afterwards.
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
    /// The channel with the server as its host, trusting only the server's authority; without a log.
    func speaking(to server: SandboxServer) -> Channel {
        var channel = self
        channel.environment.baseURL = server.baseURL(name)
        channel.environment.serverTrustManager = ServerTrustManager(authorities: .pem(server.authorityPEM))
        // The log of hundreds of calls would hide the tests' own output.
        channel.logger = nil
        return channel
    }

    /// The channel with a server on loopback as its host; without a log.
    func speaking(to server: LoopbackServer) -> Channel {
        with {
            ($0.environment.baseURL, $0.environment.allowsInsecureConnections) = (server.url, server.tls == nil)
            if let tls = server.tls {
                $0.environment.serverTrustManager = ServerTrustManager(authorities: .pem(tls.authorityPEM))
            }
            $0.logger = nil
        }
    }
}

/// The channel's own error of a call in a sandbox.
func rejection<AppError: Error, Value>(
    _ type: AppError.Type, on channel: Channel, _ call: () async throws -> Value
) async throws -> AppError {
    let error = await failure { try await withSandbox(channel) { _ in try await call() } }
    return try #require(error?.app(type), "\(error as Any)")
}
