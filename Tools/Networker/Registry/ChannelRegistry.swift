import ArgumentParser
import CoreAPI
import DLNetworker
import GIPHYNetworker
import HTTPBinNetworker
import IDNetworker
import MLNetworker
import TYNetworker

/// The channels that the command knows. A further channel is a further line in ``standard``.
struct ChannelRegistry: Sendable {
    let entries: [ChannelEntry]

    static let standard = ChannelRegistry(entries: [
        ChannelEntry("TY", "marketplace", hosts: TYHost.allCases) { .ty($0) },
        ChannelEntry("DL", "second-hand shop", hosts: DLHost.allCases) { .dl($0) },
        ChannelEntry("ML", "meal ordering", hosts: MLHost.allCases) { .ml($0) },
        ChannelEntry("ID", "instant delivery", hosts: IDHost.allCases) { .id($0) },
        ChannelEntry("HTTPBin", "says what it was asked", hosts: [HTTPBinHost()]) { .httpBin($0) },
        ChannelEntry("GIPHY", "animated pictures", hosts: GIPHYHost.allCases) { _ in
            .giphy(apiKey: Credential(variable: "GIPHY_API_KEY"))
        },
    ])

    var names: [String] { entries.map(\.name) }

    /// The channel of that name, in any case.
    ///
    /// - Throws: `ValidationError` naming the channels that there are.
    func entry(_ name: String) throws -> ChannelEntry {
        if let entry = entries.first(where: { $0.name.lowercased() == name.lowercased() }) { return entry }
        throw ValidationError("unknown channel '\(name.escapingControls)'; expected \(names.alternatives)")
    }
}
