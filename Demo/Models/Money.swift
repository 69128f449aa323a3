public import Foundation

/// An amount of money, as every channel of the kit writes it.
public struct Money: Codable, Sendable, Hashable {
    /// In units of the currency, with decimal places: 129.99.
    public let amount: Decimal
    /// ISO 4217, such as `TRY`.
    public let currency: String

    /// Makes an amount.
    public init(amount: Decimal, currency: String) {
        self.amount = amount
        self.currency = currency
    }
}
