import ArgumentParser
import CoreAPI

/// A channel of the command: its name, its environments, and a function that makes it for one of them.
struct ChannelEntry: Sendable {
    /// One environment of the channel.
    struct Place: Sendable {
        /// `production`
        let environment: String
        /// Whether it is a sandbox or another test environment.
        let isSimulated: Bool
        /// Makes the channel anew, with separate connections.
        let make: @Sendable () -> Channel
    }

    let name: String
    /// A description of the channel in a few words.
    let summary: String
    let places: [Place]

    init(_ channel: Channel) {
        name = channel.name
        summary = channel.summary
        places = channel.hosts.map { host in
            Place(environment: host.name, isSimulated: host.isSimulated) { channel.at(HostName(rawValue: host.name)) }
        }
    }

    /// Finds an environment. Without a name it is the first simulated one, if there is one, so that a hasty command does not
    /// reach production.
    ///
    /// - Throws: `ValidationError` that lists the environments.
    func place(_ environment: String?) throws -> Place {
        let wanted = environment?.lowercased()
        let found = places.first { wanted == nil ? $0.isSimulated : $0.environment.lowercased() == wanted }
        if let found = found ?? (wanted == nil ? places.first : nil) { return found }
        throw ValidationError(
            "channel \(name) has no environment '\(environment ?? "")'; expected \(places.map(\.environment).alternatives)")
    }
}
