internal import Foundation

/// Numbers of a document.
extension Document {
    func numberText(_ entry: TapeEntry) -> String {
        String(decoding: UnsafeBufferPointer(start: bytes + entry.offset, count: entry.length), as: UTF8.self)
    }

    /// - Throws: ``JSONSyntaxError`` for text that does not follow the grammar.
    func checkedNumberText(_ entry: TapeEntry) throws -> String {
        guard NumberText(bytes + entry.offset, count: entry.length) != nil else { throw noNumber(entry) }
        return numberText(entry)
    }

    /// The text for an error, shortened: a number may have millions of digits.
    private func shown(_ entry: TapeEntry) -> String {
        let length = min(entry.length, 80)
        let text = String(decoding: UnsafeBufferPointer(start: bytes + entry.offset, count: length), as: UTF8.self)
        return length < entry.length ? text + "…" : text
    }

    @inline(never)
    private func unrepresentable(_ entry: TapeEntry, as type: Any.Type) -> JSONSyntaxError {
        JSONSyntaxError(
            reason: "expected a number that \(type) can hold, found \(shown(entry))", offset: entry.offset, isValidJSON: true)
    }

    @inline(never)
    private func noNumber(_ entry: TapeEntry) -> JSONSyntaxError {
        JSONSyntaxError(reason: "expected a number, found \(shown(entry))", offset: entry.offset)
    }

    // MARK: - Integers

    /// - Returns: `nil` for another kind of value.
    /// - Throws: ``JSONSyntaxError``.
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
        return try otherInteger(entry, type)
    }

    @inline(never)
    private func otherInteger<Integer: FixedWidthInteger>(_ entry: TapeEntry, _ type: Integer.Type) throws -> Integer {
        guard NumberText(bytes + entry.offset, count: entry.length) != nil else { throw noNumber(entry) }
        let text = numberText(entry)
        if entry.has(TapeEntry.digits), let integer = Integer(text) { return integer }
        guard let integer = Self.wholeNumber(text, type) else { throw unrepresentable(entry, as: type) }
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
        var power = decimal.exponent
        while power != 0, value != 0 {
            if power > 0 {
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                guard !overflow else { return nil }
                value = product
            } else {
                value /= 10
            }
            power += power > 0 ? -1 : 1
        }
        guard let magnitude = Integer(exactly: value) else { return nil }
        guard decimal.isSignMinus else { return magnitude }
        return Integer.isSigned ? 0 - magnitude : nil
    }

    // MARK: - Floating point

    /// - Returns: `nil` for another kind of value.
    /// - Throws: ``JSONSyntaxError``.
    @inline(__always)
    func double(_ index: Int) throws -> Double? {
        let entry = entry(index)
        guard entry.is(.number) else { return nonConforming(entry, Double.self) }
        guard let number = NumberText(bytes + entry.offset, count: entry.length) else { throw noNumber(entry) }
        if let double = DecimalToBinary.double(number) { return double }
        return try otherFloat(entry, number, Double.self)
    }

    /// As ``double(_:)``.
    func float(_ index: Int) throws -> Float? {
        let entry = entry(index)
        guard entry.is(.number) else { return nonConforming(entry, Float.self) }
        guard let number = NumberText(bytes + entry.offset, count: entry.length) else { throw noNumber(entry) }
        if let float = DecimalToBinary.float(number) { return float }
        return try otherFloat(entry, number, Float.self)
    }

    @inline(never)
    private func otherFloat<Float: BinaryFloatingPoint & LosslessStringConvertible>(
        _ entry: TapeEntry, _ number: NumberText, _ type: Float.Type
    ) throws -> Float {
        let isZero = number.digits == 0 && !number.isLong
        guard let float = Float(numberText(entry)), float.isFinite, float != 0 || isZero || hasOnlyZeros(entry) else {
            throw unrepresentable(entry, as: type)
        }
        return float
    }

    /// Whether all digits before the exponent are zeros.
    private func hasOnlyZeros(_ entry: TapeEntry) -> Bool {
        for offset in entry.offset..<entry.offset + entry.length {
            if (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(bytes[offset]) { return false }
            if bytes[offset] | 0x20 == UInt8(ascii: "e") { return true }
        }
        return true
    }

    @inline(never)
    private func nonConforming<Float: BinaryFloatingPoint>(_ entry: TapeEntry, _ type: Float.Type) -> Float? {
        guard entry.is(.string), entry.has(TapeEntry.simple),
            case .convertFromString(let infinity, let negativeInfinity, let nan) = settings.floats
        else { return nil }
        let text = UnsafeBufferPointer(start: bytes + entry.offset, count: entry.length)
        if text.elementsEqual(infinity.utf8) { return .infinity }
        if text.elementsEqual(negativeInfinity.utf8) { return -.infinity }
        return text.elementsEqual(nan.utf8) ? .nan : nil
    }

    // MARK: - Decimal

    /// Parsed from the text, because a `Double` would lose digits.
    func decimal(_ index: Int) throws -> Decimal? {
        let entry = entry(index)
        guard entry.is(.number) else { return nil }
        guard NumberText(bytes + entry.offset, count: entry.length) != nil else { throw noNumber(entry) }
        guard let decimal = Decimal(string: numberText(entry)) else { throw unrepresentable(entry, as: Decimal.self) }
        return decimal
    }
}
