/// The source of an environment's responses: the network, or fixtures instead. Only a simulated environment
/// (``EnvironmentType/isSimulated``) can have fixtures. Elsewhere they are a problem of the channel, and no call is sent.
///
/// ```swift
/// case .simulated: APIEnvironment(self, fixturesType: .directory("Fixtures", scenario: "orders"))
/// ```
///
/// Fixtures lie in folders or in test targets, so that the shipped product contains no recorded answers.
public struct FixturesType: Sendable {
    /// `nil` for the network.
    package let transport: (any Transport)?

    /// None: the network answers.
    public static let none = FixturesType(transport: nil)

    package init(transport: (any Transport)?) {
        self.transport = transport
    }
}
