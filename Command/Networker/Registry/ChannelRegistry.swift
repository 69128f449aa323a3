package import CoreAPI

/// The channels of the command.
package struct ChannelRegistry: Sendable {
    let entries: [ChannelEntry]

    package init(_ channels: [Channel]) {
        entries = channels.map(ChannelEntry.init)
    }

    package var names: [String] { entries.map(\.name) }

    /// A channel by its name, in any case; `nil` for an unknown name.
    package func entry(_ name: String) -> ChannelEntry? {
        entries.first { $0.name.lowercased() == name.lowercased() }
    }
}
