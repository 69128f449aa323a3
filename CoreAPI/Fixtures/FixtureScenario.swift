public import CoreAPICore

extension Fixture {
    /// Selects one of several scenarios of fixtures (`orders-empty`, `orders-error`), for a channel, an endpoint or a call. It
    /// applies only with fixtures. A scenario that does not exist fails the call with
    /// ``FixtureError/notFound(name:searched:available:)``.
    ///
    /// ```swift
    /// try await networkManager.attaching(Fixture.Scenario("orders-error")).request(endpoint: .orderList())
    /// ```
    public struct Scenario: RequestModifier, Hashable {
        public static let allowsSeveral = false

        /// The scenario's name.
        public let name: String

        /// Names a scenario.
        public init(_ name: String) {
            self.name = name
        }
    }
}
