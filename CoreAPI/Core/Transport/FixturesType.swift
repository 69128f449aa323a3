/// Where the answers of an environment come from: the network, or fixtures in its place. Only an environment that may be simulated
/// (``EnvironmentType/isSimulated``) can have fixtures; on another one they are a problem of the channel, and no call is sent.
///
/// ```swift
/// case .simulated: APIEnvironment(self, fixturesType: .directory("Fixtures", scenario: "orders"))
/// ```
///
/// Fixtures lie in folders or in test targets, so that nothing recorded is part of what is shipped.
public struct FixturesType: Sendable {
    /// `nil` for the network.
    let transport: FixtureTransport?

    /// None: the network answers.
    public static let none = FixturesType(transport: nil)

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

/// Chooses one of several recorded courses of events (`orders-empty`, `orders-error`), for a channel, an endpoint or a call. Read
/// where fixtures answer and nowhere else; one that does not exist fails the call with
/// ``FixtureError/notFound(name:searched:available:)``.
///
/// ```swift
/// try await networkManager.attaching(FixtureScenario("orders-error")).request(endpoint: .orderList(path: ""))
/// ```
public struct FixtureScenario: RequestModifier, Hashable {
    public static let allowsSeveral = false

    public let name: String

    public init(_ name: String) {
        self.name = name
    }
}
