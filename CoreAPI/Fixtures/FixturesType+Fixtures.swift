public import CoreAPICore

extension FixturesType {
    /// Only ``Fixture`` modifiers that are attached to endpoints and calls.
    public static let attached = FixturesType.transport(FixtureTransport([]))

    /// One folder of `.http` files per scenario, below a folder.
    ///
    /// - Parameters:
    ///   - path: the folder that contains the scenarios' folders.
    ///   - scenario: answers calls without a ``Fixture/Scenario``.
    public static func directory(_ path: String, scenario: String) -> FixturesType {
        .transport(FixtureTransport(directory: path, scenario: scenario))
    }

    /// Scenarios as values.
    ///
    /// - Parameters:
    ///   - scenarios: the fixtures by scenario.
    ///   - scenario: answers calls without a ``Fixture/Scenario``.
    public static func scenarios(_ scenarios: [String: [Fixture]], scenario: String) -> FixturesType {
        .transport(FixtureTransport(scenarios: scenarios, scenario: scenario))
    }

    /// The answers of a fixture transport.
    public static func transport(_ transport: FixtureTransport) -> FixturesType {
        FixturesType(transport: transport)
    }
}
