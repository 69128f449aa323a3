import ArgumentParser
package import CoreAPI

/// A channel of the command: its name, its environments, and a function that makes it for one of them.
package struct ChannelEntry: Sendable {
    /// One environment of the channel.
    package struct Place: Sendable {
        /// `production`
        let environment: String
        /// Whether it is a sandbox or another test environment.
        let isSimulated: Bool
        /// Makes the channel anew, with separate connections.
        package let make: @Sendable () -> Channel
        /// Its name on the command line: the channel's, or an address.
        let word: String

        static let addressName = "address"

        /// A channel for a plain address, without credentials or hooks. Like a browser it sends the cookies that a response has
        /// set to the next hop of a redirect, as long as the command runs.
        static func address(_ address: Address) -> Place {
            Place(
                environment: addressName, isSimulated: false,
                make: {
                    var environment = APIEnvironment(addressName, baseURL: address.origin.string)
                    environment.allowsInsecureConnections = address.origin.scheme == .http
                    var channel = Channel(name: address.origin.host, environment: environment)
                    channel.cookies = CookieJar()
                    channel.logger = CoreNetworkLogger(subsystem: "networkerkit", category: channel.name)
                    return channel
                }, word: address.origin.string.trimmingSlashes)
        }
    }

    let name: String
    /// A description of the channel in a few words.
    let summary: String
    let places: [Place]

    init(_ channel: Channel) {
        name = channel.name
        summary = channel.summary
        let places = channel.hosts.map { host, environment in
            Place(
                environment: host.rawValue, isSimulated: environment.isSimulated, make: { channel.at(host) },
                word: channel.name)
        }
        let only = Place(
            environment: channel.environment.name, isSimulated: channel.environment.isSimulated, make: { channel },
            word: channel.name)
        self.places = places.isEmpty ? [only] : places
    }

    /// Finds an environment. Without a name it is the first simulated one, if there is one, so that a hasty command does not
    /// reach production.
    ///
    /// - Throws: `ValidationError` that lists the environments.
    package func place(_ environment: String?) throws -> Place {
        let wanted = environment?.lowercased()
        let found = places.first { wanted == nil ? $0.isSimulated : $0.environment.lowercased() == wanted }
        if let found = found ?? (wanted == nil ? places.first : nil) { return found }
        let names = places.map(\.environment)
        let meant = names.nearest(to: environment ?? "").map { "did you mean '\($0)'? Expected" } ?? "expected"
        throw ValidationError(
            "channel \(name) has no environment '\((environment ?? "").escapingControls)'; \(meant) \(names.alternatives)")
    }
}
