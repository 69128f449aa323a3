/// One of the servers that a channel can use: production, staging, a sandbox. Channels declare an enum of their hosts.
///
/// Use an environment type for names and URLs. Everything else that a team may change is a value in ``APIEnvironment``.
public protocol EnvironmentType: Sendable {
    /// Appears in logs and errors, such as `staging`.
    var name: String { get }
    /// An absolute https URL, or http if ``APIEnvironment/allowsInsecureConnections`` allows it.
    var baseURL: String { get }
    /// Whether fixtures, a sandbox or weaker trust may replace the real server. Default `false`.
    var isSimulated: Bool { get }
    /// Whether clear-text http is allowed, initially, to any host; see ``APIEnvironment/allowsInsecureConnections``. Default that
    /// of ``shouldAllowInsecureConnections``.
    var allowsInsecureConnections: Bool { get }
    /// Another name of ``allowsInsecureConnections``, which hand-written clients have. Default `false`.
    var shouldAllowInsecureConnections: Bool { get }
}

extension EnvironmentType {
    public var isSimulated: Bool { false }
    public var allowsInsecureConnections: Bool { shouldAllowInsecureConnections }
    public var shouldAllowInsecureConnections: Bool { false }
}

extension EnvironmentType where Self: RawRepresentable, RawValue == String {
    public var name: String { rawValue }
}
