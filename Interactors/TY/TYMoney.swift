public import Foundation

/// An amount of money.
public struct TYMoney: Decodable, Sendable, Hashable {
    /// In whole units of the currency, decimal places and all: 129.99.
    public let amount: Decimal
    /// ISO 4217, such as `TRY`.
    public let currency: String
}
