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

extension Request {
    /// A header's value by its name in any case.
    func header(_ name: String) -> String? { headers.first { $0.name.canonicalName == name.lowercased() }?.value }
}

extension Channel {
    func speaking(to server: SandboxServer) -> Channel { speaking(to: server.baseURL(name), authority: server.authorityPEM) }
    func speaking(to server: LoopbackServer) -> Channel { speaking(to: server.url, authority: server.tls?.authorityPEM) }

    /// The channel with a server as its host, trusting only the server's authority; without a log.
    private func speaking(to url: String, authority: String?) -> Channel {
        with {
            ($0.environment.baseURL, $0.environment.allowsInsecureConnections) = (url, authority == nil)
            if let authority { $0.environment.serverTrustManager = ServerTrustManager(authorities: .pem(authority)) }
            // The log of hundreds of calls would hide the tests' own output.
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
