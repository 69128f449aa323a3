/// A line of the chat between the customer and the courier.
public struct IDCourierMessage: Codable, Sendable, Hashable {
    /// The sender: `courier` or `customer`.
    public let from: String
    public let text: String

    public init(from: String = "customer", text: String) {
        self.from = from
        self.text = text
    }
}
