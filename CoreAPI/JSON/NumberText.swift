/// A number as it is written (RFC 8259 §6), taken apart.
struct NumberText {
    let isNegative: Bool
    /// All digits, without the point; means nothing when ``isLong``.
    let digits: UInt64
    /// The power of ten that ``digits`` is multiplied by.
    let exponent: Int
    /// There are more digits than 64 bits hold for certain.
    let isLong: Bool

    /// - Returns: `nil` when it does not follow the grammar.
    @inline(__always)
    init?(_ bytes: UnsafePointer<UInt8>, count: Int) {
        // What ends a number is none of its characters, so no bounds are checked but the last.
        var place = bytes
        let end = bytes + count
        isNegative = place.pointee == UInt8(ascii: "-")
        if isNegative { place += 1 }
        let whole = place
        var value: UInt64 = 0
        Self.read(&place, into: &value)
        var digitCount = place - whole
        guard digitCount > 0, digitCount == 1 || whole.pointee != UInt8(ascii: "0") else { return nil }
        var exponent = 0
        if place.pointee == UInt8(ascii: ".") {
            place += 1
            let fraction = place
            // Zeros in front say nothing but how small it is.
            if digitCount == 1, whole.pointee == UInt8(ascii: "0") {
                while place.pointee == UInt8(ascii: "0") { place += 1 }
                digitCount = fraction - place
            }
            Self.read(&place, into: &value)
            guard place > fraction else { return nil }
            exponent = fraction - place
            digitCount += place - fraction
        }
        if place.pointee | 0x20 == UInt8(ascii: "e") {
            guard let power = Self.readExponent(&place) else { return nil }
            exponent += power
        }
        guard place == end else { return nil }
        digits = value
        self.exponent = exponent
        isLong = digitCount > 19
    }

    @inline(__always)
    private static func read(_ place: inout UnsafePointer<UInt8>, into value: inout UInt64) {
        while true {
            let digit = place.pointee &- UInt8(ascii: "0")
            guard digit < 10 else { return }
            value = value &* 10 &+ UInt64(digit)
            place += 1
        }
    }

    private static func readExponent(_ place: inout UnsafePointer<UInt8>) -> Int? {
        place += 1
        let isNegative = place.pointee == UInt8(ascii: "-")
        if isNegative || place.pointee == UInt8(ascii: "+") { place += 1 }
        let start = place
        var power = 0
        while true {
            let digit = place.pointee &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            // Far beyond what any type holds.
            if power < 1_000_000_000 { power = power &* 10 &+ Int(digit) }
            place += 1
        }
        guard place > start else { return nil }
        return isNegative ? -power : power
    }
}
