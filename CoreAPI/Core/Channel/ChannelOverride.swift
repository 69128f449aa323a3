internal import CoreAPICookies

/// Channels that replace others of the same name, for one task and its children: tests and tools swap a channel without a change
/// in feature code. A task-local and not a global, so that parallel tests cannot see each other.
package enum ChannelOverride {
    /// The innermost last.
    @TaskLocal private static var current: [Channel] = []

    static func resolve(_ channel: Channel) -> Channel {
        guard !channel.isOverride else { return channel }
        return current.last { $0.name == channel.name } ?? channel
    }

    /// The channel that replaces an anonymous one, made by a dispatcher or client that knows only an environment: the override of
    /// its name, or else the innermost one, so that no test reaches the real server.
    static func resolve(anonymous channel: Channel) -> Channel {
        guard let override = current.last(where: { $0.name == channel.name }) ?? current.last else { return channel }
        var swapped = channel
        swapped.transport = override.transport
        swapped.environment.fixturesType = override.environment.fixturesType
        swapped.environment.isSimulated = override.environment.isSimulated
        if override.transport.reachesNetwork {
            swapped.environment.baseURL = override.environment.baseURL
            swapped.environment.serverTrustManager = override.environment.serverTrustManager
            swapped.environment.allowsInsecureConnections = override.environment.allowsInsecureConnections
            swapped.environment.insecureHosts = override.environment.insecureHosts
        }
        swapped.isOverride = true
        return swapped
    }

    /// Every networker, dispatcher and client for the channel of that name that is made inside the operation uses this channel.
    package static func with<Result>(_ channel: Channel, operation: () async throws -> Result) async rethrows -> Result {
        var override = channel
        override.isOverride = true
        return try await $current.withValue(current + [override]) { try await operation() }
    }
}

extension Channel {
    /// A copy that shares no state with this channel: no token, no cookie, no connection, no switch. A given transport replaces
    /// fixtures, too; `nil` for an isolated copy of the channel's own.
    package func isolated(transport: (any Transport)?) -> Channel {
        var copy = self
        copy.environment = environmentSwitch?.environment ?? environment
        if let transport {
            copy.transport = transport
            copy.environment.fixturesType = .none
        } else {
            copy.transport = self.transport.isolatedCopy()
        }
        copy.environmentSwitch = nil
        copy.cookies = cookies?.emptyCopy()
        copy.interceptors = interceptors.map { $0.isolatedCopy() }
        copy.callMiddleware = callMiddleware.map { $0.isolatedCopy() }
        copy.attemptMiddleware = attemptMiddleware.map { $0.isolatedCopy() }
        return copy
    }
}
