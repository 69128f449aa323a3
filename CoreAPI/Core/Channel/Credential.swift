internal import CoreAPIHTTP
internal import CoreAPIRedaction
public import Foundation

/// A secret of a channel, by the name of the variable that holds it. The value is looked up for each attempt: in
/// ``Channel/credentials`` if set, else the fixed value of the sandbox, else the process's environment.
public struct Credential: Sendable, Hashable, Redacted {
    /// The variable's name; appears in the error if there is no value.
    public let variable: String
    private let sandbox: String?

    /// A secret that stands in an environment variable. The sandbox server accepts the other value, which is no secret.
    public static func environment(_ variable: String, sandbox: String? = nil) -> Credential {
        Credential(variable: variable, sandbox: sandbox)
    }

    /// The variable, without a value.
    public var description: String { "credential \(variable)" }

    /// The value for a request; `nil` if it is missing in a simulated environment, whose server ignores credentials. Elsewhere
    /// that throws ``Credential/Missing``.
    public func value(for call: Call) throws(Credential.Missing) -> String? {
        if let value = value(in: call.channel), !value.isEmpty { return value }
        if call.channel.environment.isSimulated { return nil }
        throw Credential.Missing(channel: call.channel.name, variable: variable)
    }

    private func value(in channel: Channel) -> String? {
        if let given = channel.credentials { return given.values[variable] }
        if let sandbox, channel.environment.name == Channel.HostName.sandbox.rawValue { return sandbox }
        // `ProcessInfo.environment` copies all variables.
        return getenv(variable).map { String(cString: $0) }
    }

    /// A channel has no value for a secret that it needs.
    public struct Missing: Error, Hashable, LocalizedError {
        /// The channel's name.
        public let channel: String
        /// The environment variable that was expected.
        public let variable: String

        public var errorDescription: String? {
            "channel \(channel) lacks a credential; expected it in the environment variable \(variable), or where the channel is made"
        }
    }
}

extension Channel {
    /// The values of a channel's secrets, by variable: `["SHOP_API_KEY": key]`. Never prints a value.
    public struct Credentials: Sendable, Hashable, ExpressibleByDictionaryLiteral, Redacted {
        fileprivate let values: [String: String]

        /// Takes values by the names of their variables.
        public init(_ values: [String: String]) { self.values = values }
        public init(dictionaryLiteral elements: (String, String)...) { values = Dictionary(elements) { $1 } }

        public var description: String { values.keys.sorted().map { "\($0): \(Redaction.mask)" }.joined(separator: ", ") }
    }
}

/// Adds the channel's secret to each attempt, for the origin (scheme, host and port) of the call's environment only: an endpoint
/// whose base URL has another origin is sent without it. Immutable.
public struct CredentialInterceptor: RequestInterceptor, Redacted {
    private enum Form: Sendable {
        case header(String)
        case bearer
        case query(String)
    }

    private let form: Form
    private let secret: Credential
    /// It only adapts.
    public var stages: Set<Stage.Kind> { [.adapt] }

    /// In its own header.
    public static func header(_ name: String, _ secret: Credential) -> CredentialInterceptor {
        CredentialInterceptor(form: .header(name), secret: secret)
    }

    /// As a bearer token (RFC 6750 §2.1) that is never renewed; ``BearerAuthentication`` renews one.
    public static func bearer(_ secret: Credential) -> CredentialInterceptor {
        CredentialInterceptor(form: .bearer, secret: secret)
    }

    /// In the query, after the endpoint's own items.
    public static func query(_ name: String, _ secret: Credential) -> CredentialInterceptor {
        CredentialInterceptor(form: .query(name), secret: secret)
    }

    /// Adds the channel's credential to a request. Throws ``Credential/Missing`` if there is no value.
    public func adapt(_ request: inout Request) async throws {
        guard request.goesToEnvironment(), let value = try secret.value(for: request.call) else { return }
        switch form {
        case .header(let name): try request.setHeader(name, value)
        case .bearer: try request.setHeader("Authorization", "Bearer \(value)")
        case .query(let name): request.url.appendQuery(name, value)
        }
    }

    /// Where the secret goes, and its variable.
    public var description: String {
        switch form {
        case .header(let name): "\(secret) in the header \(name)"
        case .bearer: "\(secret) as a bearer token"
        case .query(let name): "\(secret) in the query item \(name)"
        }
    }
}
