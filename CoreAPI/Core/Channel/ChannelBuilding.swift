public import CoreAPITrust
public import Foundation
internal import HTTPTypes

// A channel as one value: its hosts, its credentials, the envelope of its answers.
//
//     extension Channel {
//         static let shop = Channel("Shop", hosts: [.production: "https://api.shop.example", .sandbox: .local("shop")])
//             .credential(.header("x-api-key", .environment("SHOP_API_KEY", sandbox: "sandbox-key")))
//             .payload("result", error: ShopEnvelope.self) { envelope, _ in envelope.error }
//     }
//     class ShopNetworker<E: Endpoint>: ChannelNetworker<E> { init() { super.init(.shop) } }

extension Channel {
    /// A channel at the first of its hosts.
    ///
    /// - Parameters:
    ///   - name: appears in logs and errors.
    ///   - summary: a few words about the channel.
    ///   - hosts: its hosts; ``at(_:credentials:)`` selects another.
    ///   - transport: sends the channel's requests.
    ///   - logger: receives the events of each call.
    package init(
        _ name: String, _ summary: String = "", hosts: Channel.Hosts, transport: any Transport, logger: any NetworkLogger
    ) {
        let first = hosts.first ?? Channel.Host(name: "", baseURL: "")
        self.init(name: name, environment: first.environment, transport: transport)
        self.summary = summary
        self.hosts = hosts
        self.logger = logger
    }

    /// This channel at another of its hosts, with its own connections, tokens and cookies. Keep the result; do not make it for
    /// each call.
    ///
    /// Hooks, limits and headers stay. Of trust and ``APIEnvironment/insecureHosts`` stays what was set manually. What a host of
    /// the table has belongs to it, as do its address, its fixtures and whether it allows clear text. Authorities never move to
    /// or from a simulated host.
    ///
    /// - Parameters:
    ///   - host: one of ``hosts``. Calls to a host that the channel does not have fail with
    ///     ``APIClientError/channel(problems:_:)``.
    ///   - credentials: `nil` for those of this channel.
    public func at(_ host: Channel.HostName, credentials: Channel.Credentials? = nil) -> Channel {
        var channel = isolated(transport: nil)
        // Where the switch is, if there is one.
        let now = channel.environment
        let found = hosts[host] ?? Channel.Host(name: host.rawValue, baseURL: "")
        channel.environment = found.environment.merging(now)
        channel.environment.cachePolicy = now.cachePolicy
        channel.environment.baseURLRule = now.baseURLRule
        let table = (hosts[Channel.HostName(rawValue: now.name)] ?? Channel.Host(name: now.name, baseURL: "")).environment
        channel.environment.insecureHosts.formUnion(now.insecureHosts.subtracting(table.insecureHosts))
        let moves = !now.isSimulated && !channel.environment.isSimulated
        channel.environment.serverTrustManager.take(
            from: now.serverTrustManager, unlessIn: table.serverTrustManager, authorities: moves)
        if let credentials { channel.credentials = credentials }
        return channel
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

    /// This channel with headers for the language and country of responses. An endpoint's own headers win.
    ///
    /// - Parameters:
    ///   - locale: as in `Locale(identifier: "tr_TR")`.
    ///   - icu: the header for `tr_TR`.
    ///   - bcp47: the header for `tr-TR`.
    public func locale(_ locale: Locale, icu: String? = nil, bcp47: String? = nil) -> Channel {
        with { channel in
            if let icu { channel.environment.commonHeaders[icu] = locale.identifier(.icu) }
            if let bcp47 { channel.environment.commonHeaders[bcp47] = locale.identifier(.bcp47) }
        }
    }

    /// This channel, with responses in envelopes.
    ///
    /// - Parameters:
    ///   - keyPath: the path of the value, as in `data.items`; see ``payload``.
    ///   - type: the envelope of errors.
    ///   - translate: the error in an envelope, `nil` for a success; see ``ErrorFilter/envelope(_:translate:)``.
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

    /// One of a channel's hosts: an address and its trust.
    public struct Host: EnvironmentType, ExpressibleByStringLiteral {
        /// Its name in the table.
        public fileprivate(set) var name = ""
        public let baseURL: String
        public let isSimulated: Bool
        let trust: ServerTrustManager
        let allowsClearText: Bool

        /// Describes a host.
        ///
        /// - Parameters:
        ///   - baseURL: see ``EnvironmentType/baseURL``.
        ///   - isSimulated: see ``EnvironmentType/isSimulated``.
        ///   - trust: authorities and pins.
        ///   - allowsClearText: see ``APIEnvironment/allowsInsecureConnections``.
        public init(
            _ baseURL: String, isSimulated: Bool = false, trust: ServerTrustManager = .system, allowsClearText: Bool = false
        ) {
            self.baseURL = baseURL
            self.isSimulated = isSimulated
            self.trust = trust
            self.allowsClearText = allowsClearText
        }

        fileprivate init(name: String, baseURL: String) {
            self.init(baseURL)
            self.name = name
        }

        /// A host that is not simulated.
        public init(stringLiteral baseURL: String) {
            self.init(baseURL)
        }

        /// The sandbox server on this machine, at its usual port. Simulated; trusts only the authority that the server makes.
        ///
        /// - Parameter path: the channel's path on the server: `ty`.
        public static func local(_ path: String) -> Channel.Host {
            Channel.Host("https://localhost:8443/\(path)", isSimulated: true, trust: .localSandbox)
        }

        var environment: APIEnvironment {
            APIEnvironment(self, serverTrustManager: trust, allowsInsecureConnections: allowsClearText)
        }
    }

    /// A channel's hosts by name, in the given order: `[.production: "https://api.shop.example", .sandbox: .local("shop")]`.
    public struct Hosts: Sendable, ExpressibleByDictionaryLiteral, RandomAccessCollection {
        private let hosts: [Channel.Host]

        public init(dictionaryLiteral elements: (Channel.HostName, Channel.Host)...) {
            hosts = elements.map { name, host in
                var host = host
                host.name = name.rawValue
                return host
            }
        }

        public var startIndex: Int { hosts.startIndex }
        public var endIndex: Int { hosts.endIndex }
        public subscript(index: Int) -> Channel.Host { hosts[index] }
        /// The host of that name, or `nil` if the channel has none.
        public subscript(name: Channel.HostName) -> Channel.Host? { hosts.first { $0.name == name.rawValue } }
    }
}
