/// Numbers, as Swift describes them.
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

    /// There is room for them.
    @inline(__always)
    private func digits(_ number: UInt64) {
        let length = Self.length(number)
        count &+= length
        var place = text + count
        var rest = number
        while rest >= 100 {
            let pair = rest % 100
            rest /= 100
            place -= 2
            Self.pair(pair, place)
        }
        if rest >= 10 {
            Self.pair(rest, place - 2)
        } else {
            place[-1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest)
        }
    }

    @inline(__always)
    private static func pair(_ number: UInt64, _ place: UnsafeMutablePointer<UInt8>) {
        let tens = (number &* 103) &>> 10
        place[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: tens)
        place[1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number &- tens &* 10)
    }

    @inline(__always)
    private static func length(_ number: UInt64) -> Int {
        var (length, limit) = (1, 10 as UInt64)
        while number >= limit {
            length &+= 1
            // 20 digits are the most.
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
        // Whole numbers are written as such.
        if text.utf8.count > 2, text.utf8.suffix(2).elementsEqual(".0".utf8) { count &-= 2 }
    }

    /// Numbers with few decimals, as prices are.
    ///
    /// A decimal of at most 15 digits is the only one of that length that becomes its double, so that the shortest text that
    /// becomes it is this decimal without its last zeros.
    @inline(__always)
    private func fixed(_ value: Double) -> Bool {
        let magnitude = value.magnitude
        // From 0.0001 on there is no exponent. Zero has a sign.
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
        // Both are exact, and so the quotient is the double that the decimal becomes.
        guard scaled < 1e15, scaled / scale == magnitude else { return false }
        let (whole, fraction) = UInt64(scaled).quotientAndRemainder(dividingBy: UInt64(scale))
        integer(whole, isNegative: value < 0)
        var (rest, length) = (fraction, places)
        while rest % 10 == 0, length > 1 {
            rest /= 10
            length &-= 1
        }
        text[count] = UInt8(ascii: ".")
        for place in stride(from: length, to: 0, by: -1) {
            text[count &+ place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count &+= length &+ 1
        return true
    }
}
