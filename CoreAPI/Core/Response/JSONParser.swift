internal import CoreAPIJSON
internal import Foundation

/// Reads JSON (RFC 8259) into a ``JSONValue`` in one pass, in time that grows with its size whatever its shape.
///
/// Asking a `Decoder` what kind of value comes next takes failed attempts, each with a coding path as long as the value is deep; a few
/// kilobytes of nested arrays then cost seconds.
struct JSONParser {
    /// Values within each other, as many as Foundation's decoder takes.
    private static let depthLimit = 512

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(_ data: Data) {
        bytes = JSONText.utf8(of: data)
    }

    /// - Throws: ``Malformed``.
    mutating func parse() throws -> JSONValue {
        let value = try readValue()
        skipSpace()
        guard position == bytes.count else { throw corrupted("expected nothing behind the value") }
        return value
    }

    private func corrupted(_ reason: String) -> Malformed {
        Malformed(reason: reason, offset: position)
    }

    private mutating func readValue() throws -> JSONValue {
        skipSpace()
        guard position < bytes.count else { throw corrupted("expected a value") }
        switch bytes[position] {
        case UInt8(ascii: "{"): return .object(try nested { try $0.readMembers() })
        case UInt8(ascii: "["): return .array(try nested { try $0.readItems() })
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        default: return try readNumber()
        }
    }

    private mutating func nested<Result>(_ read: (inout JSONParser) throws -> Result) throws -> Result {
        depth += 1
        guard depth <= Self.depthLimit else { throw corrupted("expected at most \(Self.depthLimit) values within each other") }
        defer { depth -= 1 }
        position += 1
        return try read(&self)
    }

    private mutating func readMembers() throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if take(UInt8(ascii: "}")) { return members }
        while true {
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { throw corrupted("expected a name") }
            let name = try readString()
            guard !name.hasEndlessCombiningMarks else {
                throw corrupted("expected a key with at most \(String.combiningMarkLimit) combining marks in a row")
            }
            guard take(UInt8(ascii: ":")) else { throw corrupted("expected ':'") }
            // Of equal keys the first counts, as it does for the decoder.
            let value = try readValue()
            if members.index(forKey: name) == nil { members[name] = value }
            if take(UInt8(ascii: ",")) { continue }
            guard take(UInt8(ascii: "}")) else { throw corrupted("expected ',' or '}'") }
            return members
        }
    }

    private mutating func readItems() throws -> [JSONValue] {
        var items: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return items }
        while true {
            items.append(try readValue())
            if take(UInt8(ascii: ",")) { continue }
            guard take(UInt8(ascii: "]")) else { throw corrupted("expected ',' or ']'") }
            return items
        }
    }

    private mutating func readWord(_ word: StaticString, _ value: JSONValue) throws -> JSONValue {
        let isThere = word.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard isThere else { throw corrupted("expected a value") }
        position += word.utf8CodeUnitCount
        return value
    }

    /// Digits by the grammar of RFC 8259 §6; a `Decimal` where all of them fit into one, else a `Double`.
    private mutating func readNumber() throws -> JSONValue {
        let start = position
        _ = takeByte(UInt8(ascii: "-"))
        let whole = position
        guard skipDigits(), bytes[whole] != UInt8(ascii: "0") || position == whole + 1 else {
            throw corrupted("expected a value")
        }
        if takeByte(UInt8(ascii: ".")), !skipDigits() { throw corrupted("expected a digit") }
        var hasExponent = false
        if takeByte(UInt8(ascii: "e")) || takeByte(UInt8(ascii: "E")) {
            hasExponent = true
            if !takeByte(UInt8(ascii: "+")) { _ = takeByte(UInt8(ascii: "-")) }
            guard skipDigits() else { throw corrupted("expected a digit") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        // 38 digits are what a Decimal holds; with an exponent it may be beyond its range, and is read twice.
        if position - start <= 38, let decimal = Decimal(string: text), decimal.isFinite, !hasExponent || !decimal.isZero {
            return .decimal(decimal)
        }
        guard let double = Double(text), double.isFinite else { throw corrupted("expected a number that a Double can hold") }
        return .double(double)
    }

    private mutating func readString() throws -> String {
        position += 1
        var text: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: text, as: UTF8.self) else { throw corrupted("expected UTF-8") }
                return text
            case UInt8(ascii: "\\"): try readEscape(into: &text)
            case ..<0x20: throw corrupted("expected no control character in a string")
            default: text.append(byte)
            }
        }
        throw corrupted("expected the string's end")
    }

    private mutating func readEscape(into text: inout [UInt8]) throws {
        guard position < bytes.count else { throw corrupted("expected an escape") }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var unit = try readUnit()
            if (0xD800..<0xDC00).contains(unit), bytes[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) {
                position += 2
                let low = try readUnit()
                guard (0xDC00..<0xE000).contains(low) else { throw corrupted("expected the second half of a surrogate pair") }
                unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(unit) else { throw corrupted("expected no lone surrogate") }
            text.append(contentsOf: String(Character(scalar)).utf8)
        default: throw corrupted("expected an escape")
        }
    }

    private mutating func readUnit() throws -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard position < bytes.count, let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue else {
                throw corrupted("expected four hexadecimal digits")
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    // MARK: - Bytes

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    }

    /// Takes a byte behind white space.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        return takeByte(byte)
    }

    private mutating func takeByte(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while position < bytes.count, bytes[position] >= UInt8(ascii: "0"), bytes[position] <= UInt8(ascii: "9") { position += 1 }
        return position > start
    }
}
