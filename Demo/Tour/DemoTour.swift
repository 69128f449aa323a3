package import CoreAPITransfers

/// The steps through one channel's features, in `Demo/Tour/<C>Tour.swift`; a channel may have none.
package struct DemoTour: Sendable {
    /// The tours of all channels, in the order of Package.swift.
    package static let all: [DemoTour] = [.ty, .dl, .ml, .id]

    /// The channel's name in the command's registry.
    package let channel: String
    /// The path below the sandbox server's root.
    package let prefix: String
    /// Makes the interactors and calls them. The channel is already swapped when this runs.
    package let walk: @MainActor @Sendable (any DemoGuide) async -> Void

    package init(channel: String, prefix: String, walk: @escaping @MainActor @Sendable (any DemoGuide) async -> Void) {
        self.channel = channel
        self.prefix = prefix
        self.walk = walk
    }
}

/// Runs one channel's features and records the result of each.
@MainActor
package protocol DemoGuide {
    /// Runs one feature.
    ///
    /// - Parameters:
    ///   - feature: its name in the table.
    ///   - fetch: calls the interactor.
    ///   - sample: makes the excerpt of the response.
    /// - Returns: the response, for later features that need it; `nil` if the feature failed.
    func visit<Value>(_ feature: String, fetch: () async throws -> Value, sample: (Value) -> DemoSample) async -> Value?

    /// Shows the progress of a feature's transfer, until its end.
    func watch(_ feature: String, _ transfer: some Transfer) async

    /// Records that a feature could not run, because an earlier one gave no input for it.
    func skip(_ feature: String, _ reason: String)
}
