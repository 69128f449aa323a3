/// An amount in Turkish lira, kept in kuruş so that sums are exact.
struct Money: Encodable, Sendable {
    private let kurus: Int

    /// An amount in lira, for example 129.99.
    static func lira(_ amount: Double) -> Money {
        Money(kurus: Int((amount * 100).rounded()))
    }

    static func + (left: Money, right: Money) -> Money {
        Money(kurus: left.kurus + right.kurus)
    }

    static func * (price: Money, quantity: Int) -> Money {
        Money(kurus: price.kurus * quantity)
    }

    private enum CodingKeys: CodingKey {
        case amount, currency
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Double(kurus) / 100, forKey: .amount)
        try container.encode("TRY", forKey: .currency)
    }
}
