/// Other channels in the place of named ones, for one task and its children: how tests and tools swap a channel without a change in
/// feature code. A task-local and never a global, so that parallel tests cannot see each other.
package enum ChannelOverride {
    @TaskLocal private static var current: [String: Channel] = [:]

    /// The channel that speaks in the place of the given one here.
    static func resolve(_ channel: Channel) -> Channel {
        current[channel.name] ?? channel
    }

    /// Every networker that is made inside the operation, for the channel of that name, speaks through the given channel.
    package static func with<Result>(_ channel: Channel, operation: () async throws -> Result) async rethrows -> Result {
        var channels = current
        channels[channel.name] = channel
        return try await $current.withValue(channels) { try await operation() }
    }
}

extension Channel {
    /// A copy with another transport that shares no state with this channel: no token, no cookie, no connection, no switch.
    ///
    /// - Parameter transport: speaks instead of fixtures, too; `nil` for a new one of the channel's own.
    package func isolated(transport: (any Transport)?) -> Channel {
        var copy = self
        copy.environment = environmentSwitch?.environment ?? environment
        if let transport {
            copy.transport = transport
            copy.environment.fixturesType = .none
        } else {
            copy.transport = CurlTransport(limits: limits)
        }
        copy.environmentSwitch = nil
        copy.cookies = cookies?.emptyCopy()
        copy.interceptors = interceptors.map { $0.isolatedCopy() }
        return copy
    }
}
