import ArgumentParser
import CoreAPI
import EveryChannel

/// The channels that the command knows.
struct ChannelRegistry: Sendable {
    let entries: [ChannelEntry]

    static let standard = ChannelRegistry(entries: everyChannel.map(ChannelEntry.init))

    var names: [String] { entries.map(\.name) }

    /// The channel of that name, in any case.
    ///
    /// - Throws: `ValidationError` naming the channels that there are.
    func entry(_ name: String) throws -> ChannelEntry {
        if let entry = entries.first(where: { $0.name.lowercased() == name.lowercased() }) { return entry }
        throw ValidationError("unknown channel '\(name.escapingControls)'; expected \(names.alternatives)")
    }
}
