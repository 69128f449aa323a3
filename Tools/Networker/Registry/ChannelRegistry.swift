import ArgumentParser
import CoreAPI
import EveryChannel

/// The channels of the command.
struct ChannelRegistry: Sendable {
    let entries: [ChannelEntry]

    static let standard = ChannelRegistry(entries: everyChannel.map(ChannelEntry.init))

    var names: [String] { entries.map(\.name) }

    /// Finds a channel by its name, in any case.
    ///
    /// - Throws: `ValidationError` that lists the channels.
    func entry(_ name: String) throws -> ChannelEntry {
        if let entry = entries.first(where: { $0.name.lowercased() == name.lowercased() }) { return entry }
        throw ValidationError("unknown channel '\(name.escapingControls)'; expected \(names.alternatives)")
    }
}
