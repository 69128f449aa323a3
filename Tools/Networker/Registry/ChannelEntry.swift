import ArgumentParser
import CoreAPI

/// A channel as the command knows it: its name, its environments, and how it is made for one of them.
struct ChannelEntry: Sendable {
    /// One of the places that the channel can speak to.
    struct Place: Sendable {
        /// `production`
        let environment: String
        /// Whether it is a sandbox or the like.
        let isSimulated: Bool
        /// Makes the channel anew, with connections of its own.
        let make: @Sendable () -> Channel
    }

    let name: String
    /// What the channel is, in a few words.
    let summary: String
    let places: [Place]

    init(_ channel: Channel) {
        name = channel.name
        summary = channel.summary
        places = channel.hosts.map { host in
            Place(environment: host.name, isSimulated: host.isSimulated) { channel.at(HostName(rawValue: host.name)) }
        }
    }

    /// The place of an environment. Without a name, the first simulated one, if there is one, because a command typed in haste
    /// should not reach a customer.
    ///
    /// - Throws: `ValidationError` naming the environments that there are.
    func place(_ environment: String?) throws -> Place {
        let wanted = environment?.lowercased()
        let found = places.first { wanted == nil ? $0.isSimulated : $0.environment.lowercased() == wanted }
        if let found = found ?? (wanted == nil ? places.first : nil) { return found }
        throw ValidationError(
            "channel \(name) has no environment '\(environment ?? "")'; expected \(places.map(\.environment).alternatives)")
    }
}
