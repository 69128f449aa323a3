/// The steps through one channel's features. A channel that has some keeps them in `Channels/<C>/Tour/<C>Tour.swift`; the plugin
/// ListChannels collects them in `DemoTour.all`.
package struct DemoTour: Sendable {
    /// The channel's name in the registry of the command.
    package let channel: String
    /// The path below the sandbox server's root.
    package let prefix: String
    /// Makes the interactors and uses them; called where the channel is swapped already.
    package let walk: @MainActor @Sendable (any DemoGuide) async -> Void

    package init(channel: String, prefix: String, walk: @escaping @MainActor @Sendable (any DemoGuide) async -> Void) {
        self.channel = channel
        self.prefix = prefix
        self.walk = walk
    }
}

/// Leads through one channel's features and records the result of each.
@MainActor
package protocol DemoGuide {
    /// Uses one feature.
    ///
    /// - Parameters:
    ///   - feature: stands in the table.
    ///   - fetch: calls the interactor.
    ///   - sample: what to show of the answer.
    /// - Returns: the answer, for features that need something of it; `nil` when the feature failed.
    func visit<Value>(_ feature: String, fetch: () async throws -> Value, sample: (Value) -> DemoSample) async -> Value?

    /// Records that a feature could not be used, because another one gave it nothing to use.
    func skip(_ feature: String, _ reason: String)
}
