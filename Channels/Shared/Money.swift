public import Foundation

/// An amount of money, as every channel of the kit writes it.
public struct Money: Decodable, Sendable, Hashable {
    /// In whole units of the currency, decimal places and all: 129.99.
    public let amount: Decimal
    /// ISO 4217, such as `TRY`.
    public let currency: String
}
