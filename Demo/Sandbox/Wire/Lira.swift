import Foundation
import NetworkerKitModels

/// Turkish lira.
extension Money {
    /// An amount in lira, for example 129.99, rounded to kuruş so that sums are exact.
    static func lira(_ amount: Double) -> Money {
        Money(amount: Decimal(Int((amount * 100).rounded())) / 100, currency: "TRY")
    }

    static func + (left: Money, right: Money) -> Money {
        Money(amount: left.amount + right.amount, currency: left.currency)
    }

    static func * (price: Money, quantity: Int) -> Money {
        Money(amount: price.amount * Decimal(quantity), currency: price.currency)
    }
}
