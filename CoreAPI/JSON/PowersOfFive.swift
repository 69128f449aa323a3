/// The first 128 bits of powers of five, computed once: a table would be 10 KB of source.
struct PowersOfFive: Sendable {
    static let range = -342...308
    static let shared = PowersOfFive()

    /// High and low halves in turn; the highest bit is set.
    private let words: [UInt64]

    subscript(exponent: Int) -> (high: UInt64, low: UInt64) {
        let index = (exponent - Self.range.lowerBound) * 2
        return (words[index], words[index + 1])
    }

    private init() {
        let count = Self.range.count
        var words = [UInt64](repeating: 0, count: 2 * count)
        func set(_ exponent: Int, _ value: (high: UInt64, low: UInt64)) {
            let index = (exponent - Self.range.lowerBound) * 2
            words[index] = value.high
            words[index + 1] = value.low
        }
        // 5³⁰⁸ has 716 bits.
        var power = Self.number(words: 12)
        power[0] = 1
        for exponent in 0...Self.range.upperBound {
            set(exponent, Self.top(power))
            Self.multiply(&power)
        }
        // 5³⁴² has 795 bits, and 128 bits of the quotient must remain. However often it is divided, it is rounded down only once.
        var quotient = Self.number(words: 17)
        quotient[16] = 1
        for exponent in 1...(-Self.range.lowerBound) {
            Self.divide(&quotient)
            var value = Self.top(quotient)
            // The algorithm wants powers of at most 64 bits rounded up.
            if exponent <= 27 {
                let (low, carry) = value.low.addingReportingOverflow(1)
                value = (carry ? value.high &+ 1 : value.high, low)
            }
            set(-exponent, value)
        }
        self.words = words
    }

    /// Lowest word first.
    private static func number(words: Int) -> [UInt64] {
        [UInt64](repeating: 0, count: words)
    }

    private static func multiply(_ number: inout [UInt64]) {
        var carry: UInt64 = 0
        for index in number.indices {
            let product = number[index].multipliedFullWidth(by: 5)
            let (low, overflow) = product.low.addingReportingOverflow(carry)
            number[index] = low
            carry = product.high + (overflow ? 1 : 0)
        }
    }

    private static func divide(_ number: inout [UInt64]) {
        var rest: UInt64 = 0
        for index in number.indices.reversed() {
            (number[index], rest) = UInt64(5).dividingFullWidth((rest, number[index]))
        }
    }

    /// The 128 bits from the highest set bit down.
    private static func top(_ number: [UInt64]) -> (high: UInt64, low: UInt64) {
        guard let last = number.lastIndex(where: { $0 != 0 }) else { return (0, 0) }
        func word(_ index: Int) -> UInt64 { index >= 0 ? number[index] : 0 }
        let shift = UInt64(number[last].leadingZeroBitCount)
        // Shifting by 64 gives zero.
        return (
            word(last) << shift | word(last - 1) >> (64 - shift), word(last - 1) << shift | word(last - 2) >> (64 - shift)
        )
    }
}
