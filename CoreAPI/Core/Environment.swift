/// One of the places that a channel can speak to: production, staging, a sandbox. Channels declare an enum of their hosts.
///
/// Use an environment type for what has a name and a URL; everything that a team may want to change on top is a value in
/// ``Environment``.
public protocol EnvironmentType: Sendable {
    var name: String { get }
    /// An absolute https URL, or http where ``Environment/allowsInsecureConnections`` says so.
    var baseURL: String { get }
    /// Whether fixtures, a sandbox or weaker trust may stand in for the real thing. Default `false`.
    var isSimulated: Bool { get }
}

extension EnvironmentType {
    public var isSimulated: Bool { false }
}

extension EnvironmentType where Self: RawRepresentable, RawValue == String {
    public var name: String { rawValue }
}

/// Where a channel speaks to, and on what terms.
public struct Environment: Sendable {
    public var type: any EnvironmentType
    public var name: String
    public var baseURL: String
    /// Sent with every request; an endpoint's own header of the same name wins.
    public var commonHeaders: Headers
    public var cachePolicy: CachePolicy
    public var serverTrust: ServerTrust
    /// Whether clear text http may be spoken. Default `false`.
    public var allowsInsecureConnections: Bool
    /// Whether something else stands in for the real thing, so that credentials that are missing are no error. From ``type`` at first;
    /// a channel that is swapped in a test is simulated, too.
    public var isSimulated: Bool

    public init(
        _ type: any EnvironmentType, name: String? = nil, baseURL: String? = nil, commonHeaders: Headers = [:],
        cachePolicy: CachePolicy = .protocolDefault, serverTrust: ServerTrust = .system, allowsInsecureConnections: Bool = false
    ) {
        self.type = type
        self.name = name ?? type.name
        self.baseURL = baseURL ?? type.baseURL
        self.commonHeaders = commonHeaders
        self.cachePolicy = cachePolicy
        self.serverTrust = serverTrust
        self.allowsInsecureConnections = allowsInsecureConnections
        isSimulated = type.isSimulated
    }
}
