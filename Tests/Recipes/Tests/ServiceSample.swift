import CoreAPI

// Shown on the page "Recipes"; tested in RecipeTests, and in Tests/Recipes with the package that it names.

/// The shape of `Service`, of swift-service-lifecycle.
protocol LifecycleService: Sendable {
    func run() async throws
}

/// Closes a channel at the end of the process.
struct ChannelService: LifecycleService {
    let channel: Channel
    /// In a service: `{ try? await gracefulShutdown() }`.
    let shutdown: @Sendable () async -> Void

    func run() async throws {
        await shutdown()
        await channel.close()
    }
}
