internal import Foundation

/// Numbers of a document. ``Scalar/read(_:_:)`` says what is returned and thrown.
extension Document {
    func numberText(_ entry: TapeEntry) throws -> String {
        _ = try number(entry)
        return String(decoding: text(entry), as: UTF8.self)
    }

    @inline(__always)
    private func number(_ entry: TapeEntry) throws -> NumberText {
        guard let number = NumberText(bytes + entry.offset, count: entry.length) else { throw noNumber(entry) }
        return number
    }

    @inline(never)
    private func noNumber(_ entry: TapeEntry) -> JSONSyntaxError {
        JSONSyntaxError(reason: "expected a number, found \(shown(entry))", offset: entry.offset)
    }

    @inline(never)
    private func unrepresentable(_ index: Int, as type: Any.Type) -> JSONSyntaxError {
        let entry = entry(index)
        let reason = "expected a number that \(type) can hold, found \(shown(entry))"
        return JSONSyntaxError(reason: reason, offset: entry.offset, number: index)
    }

    /// The text for an error, shortened: a number may have millions of digits.
    private func shown(_ entry: TapeEntry) -> String {
        String(decoding: text(entry).prefix(80), as: UTF8.self) + (entry.length > 80 ? "…" : "")
    }

    // MARK: - Integers

    @inline(__always)
    func integer<Integer: FixedWidthInteger>(_ index: Int, _ type: Integer.Type) throws -> Integer? {
        let entry = entry(index)
        guard entry.is(.number) else { return nil }
        if entry.has(TapeEntry.digits), entry.length <= 18 {
            let isNegative = bytes[entry.offset] == UInt8(ascii: "-")
            var digit = bytes + (entry.offset &+ (isNegative ? 1 : 0))
            let end = bytes + (entry.offset &+ entry.length)
            if digit.pointee != UInt8(ascii: "0") || end - digit == 1, digit < end {
                var value: Int64 = 0
                while digit < end {
                    value = value &* 10 &+ Int64(digit.pointee &- UInt8(ascii: "0"))
                    digit += 1
                }
                if let integer = Integer(exactly: isNegative ? 0 &- value : value) { return integer }
            }
        }
        return try otherInteger(index, type)
    }

    @inline(never)
    private func otherInteger<Integer: FixedWidthInteger>(_ index: Int, _ type: Integer.Type) throws -> Integer {
        let entry = entry(index)
        let text = try numberText(entry)
        if entry.has(TapeEntry.digits), let integer = Integer(text) { return integer }
        guard let integer = Self.wholeNumber(text, type) else { throw unrepresentable(index, as: type) }
        return integer
    }

    /// Accepts `5.0` and `1e2`, as Foundation does. Converts through `Double` up to 2⁵³, beyond through `Decimal`, whose fraction
    /// is dropped.
    private static func wholeNumber<Integer: FixedWidthInteger>(_ text: String, _ type: Integer.Type) -> Integer? {
        guard let double = Double(text), let integer = Integer(exactly: double) else { return nil }
        if double.magnitude < 9_007_199_254_740_992 { return integer }
        guard let decimal = Decimal(string: text), decimal.isFinite, var value = UInt64("\(decimal.significand)") else {
            return nil
        }
        for _ in stride(from: decimal.exponent, to: 0, by: 1) { value /= 10 }
        for _ in stride(from: decimal.exponent, to: 0, by: -1) {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            value = product
        }
        guard let magnitude = Integer(exactly: value) else { return nil }
        guard decimal.isSignMinus else { return magnitude }
        return Integer.isSigned ? 0 - magnitude : nil
    }

    // MARK: - Fractions

    @inline(__always)
    func float<Float: BinaryFloatingPoint & LosslessStringConvertible>(
        _ index: Int, _ convert: (NumberText) -> Float?
    ) throws -> Float? {
        let entry = entry(index)
        guard entry.is(.number) else { return nonConforming(entry) }
        if let float = convert(try number(entry)) { return float }
        return try otherFloat(index)
    }

    @inline(never)
    private func otherFloat<Float: BinaryFloatingPoint & LosslessStringConvertible>(_ index: Int) throws -> Float {
        let entry = entry(index)
        guard let float = Float(try numberText(entry)), float.isFinite, float != 0 || hasOnlyZeros(entry) else {
            throw unrepresentable(index, as: Float.self)
        }
        return float
    }

    /// Whether all digits before the exponent are zeros.
    private func hasOnlyZeros(_ entry: TapeEntry) -> Bool {
        let digits = text(entry).prefix { $0 | 0x20 != UInt8(ascii: "e") }
        return !digits.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
    }

    @inline(never)
    private func nonConforming<Float: BinaryFloatingPoint>(_ entry: TapeEntry) -> Float? {
        guard entry.is(.string), entry.has(TapeEntry.simple),
            case .convertFromString(let infinity, let negativeInfinity, let nan) = settings.floats
        else { return nil }
        let text = text(entry)
        if text.elementsEqual(infinity.utf8) { return .infinity }
        if text.elementsEqual(negativeInfinity.utf8) { return -.infinity }
        return text.elementsEqual(nan.utf8) ? .nan : nil
    }

    /// Parsed from the text, because a `Double` would lose digits.
    func decimal(_ index: Int) throws -> Decimal? {
        let entry = entry(index)
        guard entry.is(.number) else { return nil }
        guard let decimal = Decimal(string: try numberText(entry)) else { throw unrepresentable(index, as: Decimal.self) }
        return decimal
    }
}

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
        while cursor.pointee == UInt8(ascii: "0") { cursor += 1 }
        let first = cursor
        var power: UInt64 = 0
        read(&cursor, into: &power)
        guard cursor > start else { return nil }
        // More digits are beyond the range of any type.
        if cursor - first > 9 { power = 1_000_000_000 }
        return isNegative ? -Int(power) : Int(power)
    }
}
