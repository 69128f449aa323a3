/// Where the answers of an environment come from: the network, or fixtures in its place. Only an environment that may be
/// simulated (``EnvironmentType/isSimulated``) can have fixtures; on another one they are a problem of the channel, and no call
/// is sent.
///
/// ```swift
/// case .simulated: APIEnvironment(self, fixturesType: .directory("Fixtures", scenario: "orders"))
/// ```
///
/// Fixtures lie in folders or in test targets, so that nothing recorded is part of what is shipped.
public struct FixturesType: Sendable {
    /// `nil` for the network.
    package let transport: (any Transport)?

    /// None: the network answers.
    public static let none = FixturesType(transport: nil)

    package init(transport: (any Transport)?) {
        self.transport = transport
    }
}
