public import CoreAPICore

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
