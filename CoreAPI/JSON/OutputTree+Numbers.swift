/// Numbers, as Swift's `description` writes them.
extension OutputTree {
    @inline(__always)
    func integer<Integer: FixedWidthInteger>(_ value: Integer) {
        if Integer.bitWidth > 64, value.magnitude > UInt64.max { return plain(String(value)) }
        integer(UInt64(truncatingIfNeeded: value.magnitude), isNegative: value < 0)
    }

    private func integer(_ magnitude: UInt64, isNegative: Bool) {
        reserve(24)
        if isNegative {
            text[count] = UInt8(ascii: "-")
            count &+= 1
        }
        digits(magnitude)
    }

    /// Needs room for 20 digits.
    @inline(__always)
    private func digits(_ number: UInt64) {
        let length = Self.length(number)
        count &+= length
        var cursor = text + count
        var rest = number
        while rest >= 100 {
            let pair = rest % 100
            rest /= 100
            cursor -= 2
            Self.pair(pair, cursor)
        }
        if rest >= 10 {
            Self.pair(rest, cursor - 2)
        } else {
            cursor[-1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest)
        }
    }

    @inline(__always)
    private static func pair(_ number: UInt64, _ target: UnsafeMutablePointer<UInt8>) {
        let tens = (number &* 103) &>> 10
        target[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: tens)
        target[1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number &- tens &* 10)
    }

    @inline(__always)
    private static func length(_ number: UInt64) -> Int {
        var (length, limit) = (1, 10 as UInt64)
        while number >= limit {
            length &+= 1
            // A `UInt64` has at most 20 digits.
            if length == 20 { break }
            limit &*= 10
        }
        return length
    }

    // MARK: - Floating-point numbers

    /// - Parameter value: finite.
    func double(_ value: Double) {
        if fixed(value) { return }
        described(value.description)
    }

    /// - Parameter value: finite.
    func float(_ value: Float) {
        described(value.description)
    }

    private func described(_ text: String) {
        plain(text)
        // Whole numbers have no fraction.
        if text.utf8.count > 2, text.utf8.suffix(2).elementsEqual(".0".utf8) { count &-= 2 }
    }

    /// Writes numbers with few decimals, such as prices.
    ///
    /// A decimal of at most 15 digits is unique for its double. Without trailing zeros it is the shortest text.
    @inline(__always)
    private func fixed(_ value: Double) -> Bool {
        let magnitude = value.magnitude
        // Below 0.0001 `description` has an exponent. Negative zero keeps its sign.
        guard magnitude >= 1e-4 || value.bitPattern == 0, magnitude < 1e15 else { return false }
        let whole = UInt64(magnitude)
        if Double(whole) == magnitude {
            integer(whole, isNegative: value < 0)
            return true
        }
        if decimals(value, magnitude, 2, 100) { return true }
        return decimals(value, magnitude, 6, 1_000_000)
    }

    @inline(__always)
    private func decimals(_ value: Double, _ magnitude: Double, _ places: Int, _ scale: Double) -> Bool {
        let scaled = (magnitude * scale).rounded()
        // Both operands are exact, so the quotient is the double that the decimal becomes.
        guard scaled < 1e15, scaled / scale == magnitude else { return false }
        let (whole, fraction) = UInt64(scaled).quotientAndRemainder(dividingBy: UInt64(scale))
        integer(whole, isNegative: value < 0)
        var (rest, length) = (fraction, places)
        while rest % 10 == 0, length > 1 {
            rest /= 10
            length &-= 1
        }
        text[count] = UInt8(ascii: ".")
        for offset in stride(from: length, to: 0, by: -1) {
            text[count &+ offset] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count &+= length &+ 1
        return true
    }
}
