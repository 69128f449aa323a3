public import Foundation
internal import HTTPTypes

extension Channel {
    package init(
        _ name: String, _ summary: String = "", hosts: KeyValuePairs<HostName, APIEnvironment>, transport: any Transport,
        logger: any NetworkLogger
    ) {
        let first = hosts.first.map { $0.value.named($0.key.rawValue) }
        self.init(name: name, environment: first ?? APIEnvironment(baseURL: ""), transport: transport)
        self.summary = summary
        self.hosts = hosts
        self.logger = logger
    }

    /// This channel at another of its hosts, with its own connections, tokens and cookies, and with other credentials if some are
    /// given. Keep it; do not make it for each call.
    ///
    /// Hooks and limits stay, and so does each setting of the environment that was set manually: a header, a cache policy, trust,
    /// an entry of ``APIEnvironment/insecureHosts``. What ``hosts`` has belongs to a host, as do its address, its fixtures and
    /// whether it allows clear text. Authorities never move to or from a simulated host. Calls to a host that the channel does
    /// not have fail with ``APIClientError/channel(problems:_:)``.
    public func at(_ host: Channel.HostName, credentials: Channel.Credentials? = nil) -> Channel {
        var channel = isolated(transport: nil)
        // Where the switch is, if there is one.
        let now = channel.environment
        channel.environment = environment(at: host)
        channel.environment.take(from: now, unlessIn: environment(at: HostName(rawValue: now.name)))
        if let credentials { channel.credentials = credentials }
        return channel
    }

    private func environment(at host: HostName) -> APIEnvironment {
        hosts.first { $0.key == host }?.value.named(host.rawValue) ?? APIEnvironment(host.rawValue, baseURL: "")
    }

    /// This channel, changed: for the properties that have no method here.
    public func with(_ change: (inout Channel) -> Void) -> Channel {
        var channel = self
        change(&channel)
        return channel
    }

    /// This channel with a credential, added to each attempt at the origin of its environment.
    public func credential(_ credential: CredentialInterceptor) -> Channel {
        with { $0.interceptors.append(credential) }
    }

    /// This channel with headers for the language and country of responses, such as `tr_TR` under the name `icu` and `tr-TR`
    /// under the name `bcp47`. An endpoint's own headers win.
    public func locale(_ locale: Locale, icu: String? = nil, bcp47: String? = nil) -> Channel {
        with { channel in
            if let icu { channel.environment.commonHeaders[icu] = locale.identifier(.icu) }
            if let bcp47 { channel.environment.commonHeaders[bcp47] = locale.identifier(.bcp47) }
        }
    }

    /// This channel, with responses in envelopes: the path of the value, as in `data.items`, is its ``payload``, and `translate`
    /// finds the error in an envelope; see ``ErrorFilter/envelope(_:translate:)``.
    public func payload<Envelope: Decodable & SendableMetatype>(
        _ keyPath: String = "", error type: Envelope.Type,
        translate: @escaping @Sendable (Envelope, ResponseHead) -> (any Error)?
    ) -> Channel {
        with { channel in
            channel.payload = keyPath
            channel.errorFilter = .envelope(type, translate: translate)
        }
    }

    /// The name of one of a channel's hosts.
    public struct HostName: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
        /// The host of the live service.
        public static let production: Channel.HostName = "production"
        /// The host of the last test before a release.
        public static let staging: Channel.HostName = "staging"
        /// The sandbox server on this machine.
        public static let sandbox: Channel.HostName = "sandbox"
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public init(stringLiteral value: String) {
            self.init(rawValue: value)
        }
    }
}
