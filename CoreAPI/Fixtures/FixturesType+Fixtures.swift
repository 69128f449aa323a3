public import CoreAPICore

extension FixturesType {
    /// Only those that are attached to endpoint and call as ``Fixture`` modifiers.
    public static let attached = FixturesType.transport(FixtureTransport([]))

    /// One folder of `.http` files per scenario, below a folder.
    ///
    /// - Parameters:
    ///   - path: of the folder that holds the scenarios' folders.
    ///   - scenario: what answers where no ``FixtureScenario`` is attached.
    public static func directory(_ path: String, scenario: String) -> FixturesType {
        .transport(FixtureTransport(directory: path, scenario: scenario))
    }

    /// Scenarios as values.
    ///
    /// - Parameters:
    ///   - scenarios: the fixtures by the names of their scenarios.
    ///   - scenario: what answers where no ``FixtureScenario`` is attached.
    public static func scenarios(_ scenarios: [String: [Fixture]], scenario: String) -> FixturesType {
        .transport(FixtureTransport(scenarios: scenarios, scenario: scenario))
    }

    /// Whatever a fixture transport answers.
    public static func transport(_ transport: FixtureTransport) -> FixturesType {
        FixturesType(transport: transport)
    }
}
