internal import Foundation

/// A value of a structured field (RFC 9651 §3.3), without its parameters. Only the types that the kit reads have their content.
package enum StructuredValue: Sendable, Hashable {
    case integer(Int64)
    case boolean(Bool)
    case bytes([UInt8])
    /// A decimal, a string, a token, a date, a display string or an inner list.
    case other
}

/// Parses structured fields (RFC 9651 §4.2). A field that breaks the grammar anywhere has no value.
package struct StructuredField {
    private var rest: ArraySlice<UInt8>

    private init(_ text: String) { rest = Array(text.utf8)[...] }

    /// The members by key, of which the last one counts; `nil` if the text is no dictionary. `text` is all lines, joined by commas.
    package static func dictionary(_ text: String) -> [String: StructuredValue]? {
        var field = StructuredField(text)
        return field.dictionary()
    }

    /// - Returns: `nil` if the text is not a single item.
    package static func item(_ text: String) -> StructuredValue? {
        var field = StructuredField(text)
        field.skip(" ")
        guard let value = field.bareItem(), field.skipParameters() else { return nil }
        field.skip(" ")
        return field.rest.isEmpty ? value : nil
    }

    /// §4.2.2.
    private mutating func dictionary() -> [String: StructuredValue]? {
        var values: [String: StructuredValue] = [:]
        skip(" ")
        while !rest.isEmpty {
            guard let name = key() else { return nil }
            values[name] = .boolean(true)
            if rest.skip("=") {
                guard let value = rest.first == UInt8(ascii: "(") ? innerList() : bareItem() else { return nil }
                values[name] = value
            }
            guard skipParameters() else { return nil }
            skip(" \t")
            if rest.isEmpty { break }
            guard rest.skip(",") else { return nil }
            skip(" \t")
            // A dictionary may not end with a comma.
            if rest.isEmpty { return nil }
        }
        return values
    }

    /// §4.2.1.2.
    private mutating func innerList() -> StructuredValue? {
        guard rest.skip("(") else { return nil }
        while true {
            skip(" ")
            if rest.skip(")") { return .other }
            guard bareItem() != nil, skipParameters() else { return nil }
            guard let next = rest.first, next == UInt8(ascii: " ") || next == UInt8(ascii: ")") else { return nil }
        }
    }

    /// §4.2.3.2.
    private mutating func skipParameters() -> Bool {
        while rest.skip(";") {
            skip(" ")
            guard key() != nil else { return false }
            if rest.skip("="), bareItem() == nil { return false }
        }
        return true
    }

    /// §4.2.3.3.
    private mutating func key() -> String? {
        guard let first = rest.first, first.isSmallLetter || first == UInt8(ascii: "*") else { return nil }
        return String(decoding: rest.take { $0.isSmallLetter || $0.isDigit || "_-.*".utf8.contains($0) }, as: UTF8.self)
    }

    /// §4.2.3.1.
    private mutating func bareItem() -> StructuredValue? {
        if rest.skip(":") { return byteSequence() }
        if rest.skip("\"") { return quoted() ? .other : nil }
        if rest.skip("%") { return rest.skip("\"") && displayString() ? .other : nil }
        if rest.skip("@") {
            guard case .integer? = number() else { return nil }
            return .other
        }
        if rest.skip("?") {
            if rest.skip("1") { return .boolean(true) }
            return rest.skip("0") ? .boolean(false) : nil
        }
        guard let first = rest.first else { return nil }
        if first == UInt8(ascii: "-") || first.isDigit { return number() }
        guard first == UInt8(ascii: "*") || first.isLetter else { return nil }
        rest.take { $0.isTokenOctet || ":/".utf8.contains($0) }
        return .other
    }

    /// §4.2.4. An integer has at most 15 digits, a decimal 12 and 3 after the point.
    private mutating func number() -> StructuredValue? {
        let isNegative = rest.skip("-")
        let digits = rest.take(while: \.isDigit)
        guard !digits.isEmpty, let number = Int64(String(decoding: digits.prefix(16), as: UTF8.self)) else { return nil }
        guard rest.skip(".") else { return digits.count <= 15 ? .integer(isNegative ? -number : number) : nil }
        let fraction = rest.take(while: \.isDigit)
        return digits.count <= 12 && (1...3).contains(fraction.count) ? .other : nil
    }

    /// §4.2.5.
    private mutating func quoted() -> Bool {
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst(), "\"\\".utf8.contains(escaped) else { return false }
            } else if !byte.isPrintable {
                return false
            }
        }
        return false
    }

    /// §4.2.7.
    private mutating func byteSequence() -> StructuredValue? {
        let text = rest.take { $0 != UInt8(ascii: ":") }
        guard rest.skip(":") else { return nil }
        // Parsers should accept missing padding.
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: String(decoding: text, as: UTF8.self) + padding).map { .bytes(Array($0)) }
    }

    /// §4.2.10. A backslash has no meaning here.
    private mutating func displayString() -> Bool {
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(validating: text, as: UTF8.self) != nil }
            guard byte.isPrintable else { return false }
            guard byte == UInt8(ascii: "%") else {
                text.append(byte)
                continue
            }
            guard let octet = rest.leadingHexPair, rest.prefix(2).allSatisfy({ $0.isDigit || $0.isSmallLetter }) else {
                return false
            }
            text.append(octet)
            rest = rest.dropFirst(2)
        }
        return false
    }

    private mutating func skip(_ bytes: String) { rest.take { bytes.utf8.contains($0) } }
}

extension UInt8 {
    fileprivate var isSmallLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    fileprivate var isPrintable: Bool { (0x20...0x7E).contains(self) }
}
