/// The parts of a number (RFC 8259 §6).
struct NumberText {
    let isNegative: Bool
    /// All digits without the point; undefined if ``isLong``.
    let digits: UInt64
    /// The power of ten that ``digits`` is multiplied by.
    let exponent: Int
    /// Whether there are more than 19 digits, which 64 bits may not hold.
    let isLong: Bool

    /// - Returns: `nil` if the text does not follow the grammar.
    @inline(__always)
    init?(_ bytes: UnsafePointer<UInt8>, count: Int) {
        // The terminator is no number character, so only the last bound is checked.
        var cursor = bytes
        let end = bytes + count
        isNegative = cursor.pointee == UInt8(ascii: "-")
        if isNegative { cursor += 1 }
        let whole = cursor
        var value: UInt64 = 0
        Self.read(&cursor, into: &value)
        var digitCount = cursor - whole
        guard digitCount > 0, digitCount == 1 || whole.pointee != UInt8(ascii: "0") else { return nil }
        var exponent = 0
        if cursor.pointee == UInt8(ascii: ".") {
            cursor += 1
            let fraction = cursor
            // Leading zeros only change the exponent.
            if digitCount == 1, whole.pointee == UInt8(ascii: "0") {
                while cursor.pointee == UInt8(ascii: "0") { cursor += 1 }
                digitCount = fraction - cursor
            }
            Self.read(&cursor, into: &value)
            guard cursor > fraction else { return nil }
            exponent = fraction - cursor
            digitCount += cursor - fraction
        }
        if cursor.pointee | 0x20 == UInt8(ascii: "e") {
            guard let power = Self.readExponent(&cursor) else { return nil }
            exponent += power
        }
        guard cursor == end else { return nil }
        digits = value
        self.exponent = exponent
        isLong = digitCount > 19
    }

    @inline(__always)
    private static func read(_ cursor: inout UnsafePointer<UInt8>, into value: inout UInt64) {
        while true {
            let digit = cursor.pointee &- UInt8(ascii: "0")
            guard digit < 10 else { return }
            value = value &* 10 &+ UInt64(digit)
            cursor += 1
        }
    }

    private static func readExponent(_ cursor: inout UnsafePointer<UInt8>) -> Int? {
        cursor += 1
        let isNegative = cursor.pointee == UInt8(ascii: "-")
        if isNegative || cursor.pointee == UInt8(ascii: "+") { cursor += 1 }
        let start = cursor
        var power = 0
        while true {
            let digit = cursor.pointee &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            // Beyond the range of any type.
            if power < 1_000_000_000 { power = power &* 10 &+ Int(digit) }
            cursor += 1
        }
        guard cursor > start else { return nil }
        return isNegative ? -power : power
    }
}
