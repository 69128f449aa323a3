/// One of the servers that a channel can use: production, staging, a sandbox. Declare an enum of their names and URLs; everything
/// else that a team may change is a value in ``APIEnvironment``.
public protocol EnvironmentType: Sendable {
    /// Appears in logs and errors, such as `staging`.
    var name: String { get }
    /// An absolute https URL, or http if ``APIEnvironment/allowsInsecureConnections`` allows it.
    var baseURL: String { get }
    /// Whether fixtures, a sandbox or weaker trust may replace the real server. Default `false`.
    var isSimulated: Bool { get }
    /// The first ``APIEnvironment/allowsInsecureConnections``. Default that of ``shouldAllowInsecureConnections``.
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

/// The source of an environment's responses: the network, or fixtures instead. Only a simulated environment
/// (``EnvironmentType/isSimulated``) can have fixtures; elsewhere they are a problem of the channel, and no call is sent.
/// Fixtures lie in folders or in test targets, so that the shipped product contains no recorded responses.
///
/// ```swift
/// let simulated = APIEnvironment(ShopHost.simulated, fixturesType: .directory("Fixtures", scenario: "orders"))
/// ```
public struct FixturesType: Sendable {
    /// `nil` for the network.
    package let transport: (any Transport)?
    /// No fixtures: responses come from the network.
    public static let none = FixturesType(transport: nil)

    package init(transport: (any Transport)?) { self.transport = transport }
}
