internal import Foundation

/// One strict pass over the markup of a document in UTF-8, in linear time and space.
struct MarkupScanner {
    private let defence: XMLDefence
    private let document: [UInt8]
    private var position = 0
    private var open: [ArraySlice<UInt8>] = []
    private var kept: [UInt8] = []

    init(defence: XMLDefence, document: [UInt8]) {
        self.defence = defence
        self.document = document
        kept.reserveCapacity(document.count)
    }

    /// - Returns: the document without comments and processing instructions, which a decoder ignores.
    /// - Throws: `DecodingError.dataCorrupted`.
    mutating func scan() throws -> Data {
        var hasRoot = false
        while position < document.count {
            if document[position] != UInt8(ascii: "<") {
                try readText(isInside: !open.isEmpty)
            } else if starts(with: "<!--") {
                try skip("<!--", to: "-->")
            } else if starts(with: "<?") {
                try skip("<?", to: "?>")
            } else if starts(with: "<![CDATA["), !open.isEmpty {
                let start = position
                try skip("<![CDATA[", to: "]]>")
                kept += document[start..<position]
            } else if starts(with: "<!") {
                throw rejection("expected no document type declaration")
            } else if starts(with: "</") {
                try readEnd()
            } else {
                guard !hasRoot || !open.isEmpty else { throw rejection("expected one root") }
                hasRoot = true
                try readTag()
            }
        }
        guard hasRoot, open.isEmpty else { throw rejection("expected a whole document, got one that breaks off") }
        return Data(kept)
    }

    private func rejection(_ reason: String) -> DecodingError {
        XMLDefence.rejection("\(reason), at byte \(position) of \(document.count)")
    }

    // MARK: - Pieces

    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { document[position...].starts(with: $0) }
    }

    private mutating func skip(_ opening: StaticString, to end: StaticString) throws {
        let start = position
        position += opening.utf8CodeUnitCount
        while !starts(with: end) {
            guard position < document.count else {
                position = start
                throw rejection("expected \(end) somewhere behind \(opening)")
            }
            position += 1
        }
        position += end.utf8CodeUnitCount
    }

    private mutating func readText(isInside: Bool) throws {
        let start = position
        while position < document.count, document[position] != UInt8(ascii: "<") {
            let byte = document[position]
            guard isInside || Self.isSpace(byte) else { throw rejection("expected nothing but space outside of the root") }
            try check(byte)
            position += 1
        }
        kept += document[start..<position]
    }

    /// A character of text or of an attribute's value (XML 1.0 §2.2, §4.1). Without declarations there are five entities.
    private func check(_ byte: UInt8) throws {
        if byte < 0x20, !Self.isSpace(byte) { throw rejection("expected no control character") }
        guard byte == UInt8(ascii: "&") else { return }
        let rest = document[(position + 1)...].prefix(10)
        let name = String(decoding: rest.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
        guard name.utf8.count < rest.count else { throw rejection("expected an entity's end") }
        if ["lt", "gt", "amp", "quot", "apos"].contains(name) { return }
        let isHex = name.hasPrefix("#x")
        let digits = name.dropFirst(isHex ? 2 : 1)
        // The integers' own parsing accepts a sign.
        guard name.hasPrefix("#"), digits.first != "+", let number = UInt32(digits, radix: isHex ? 16 : 10),
            let scalar = Unicode.Scalar(number), Self.isCharacter(scalar)
        else { throw rejection("expected a known entity or the number of a character, got '&\(name);'") }
    }

    private mutating func readEnd() throws {
        let start = position
        position += 2
        let name = try readName()
        skipSpace()
        try expect(UInt8(ascii: ">"))
        guard let last = open.popLast(), last == name else { throw rejection("expected the end of the innermost element") }
        kept += document[start..<position]
    }

    private mutating func readTag() throws {
        let start = position
        position += 1
        let name = try readName()
        var attributes = Set<ArraySlice<UInt8>>()
        while true {
            let hadSpace = skipSpace()
            guard position < document.count else { throw rejection("expected the end of a tag") }
            if document[position] == UInt8(ascii: ">") {
                position += 1
                open.append(name)
                guard open.count <= defence.depth else {
                    throw rejection("expected at most \(defence.depth) elements within each other, got more")
                }
                break
            }
            if document[position] == UInt8(ascii: "/") {
                position += 1
                try expect(UInt8(ascii: ">"))
                break
            }
            guard hadSpace else { throw rejection("expected space before an attribute") }
            guard attributes.count < defence.attributes else {
                throw rejection("expected at most \(defence.attributes) attributes of an element, got more")
            }
            guard attributes.insert(try readName()).inserted else { throw rejection("expected an attribute once, got it twice") }
            skipSpace()
            try expect(UInt8(ascii: "="))
            skipSpace()
            try readValue()
        }
        kept += document[start..<position]
    }

    private mutating func readValue() throws {
        guard position < document.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(document[position]) else {
            throw rejection("expected a quoted value")
        }
        let quote = document[position]
        position += 1
        while position < document.count, document[position] != quote {
            guard document[position] != UInt8(ascii: "<") else { throw rejection("expected no '<' in a value") }
            try check(document[position])
            position += 1
        }
        try expect(quote)
    }

    /// A name (XML 1.0 §2.3) of letters, digits, `_`, `-`, `.`, at most one `:` between two parts of it, and anything beyond
    /// ASCII.
    private mutating func readName() throws -> ArraySlice<UInt8> {
        let start = position
        while position < document.count, Self.isNamePart(document[position]) { position += 1 }
        let name = document[start..<position]
        guard Self.isSound(name) else {
            position = start
            throw rejection("expected a name")
        }
        return name
    }

    private static func isSound(_ name: ArraySlice<UInt8>) -> Bool {
        let parts = name.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return parts.count <= 2 && parts.allSatisfy { part in part.first.map { isNameStart($0) } ?? false }
    }

    /// Whether the whole text is a name.
    static func isName(_ text: String) -> Bool {
        text.utf8.allSatisfy { isNamePart($0) } && isSound(Array(text.utf8)[...])
    }

    private mutating func expect(_ byte: UInt8) throws {
        guard position < document.count, document[position] == byte else {
            throw rejection("expected '\(Character(Unicode.Scalar(byte)))'")
        }
        position += 1
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = position
        while position < document.count, Self.isSpace(document[position]) { position += 1 }
        return position > start
    }

    /// Whether XML has the character (XML 1.0 §2.2).
    static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 ? isSpace(UInt8(scalar.value)) : scalar.value & 0xFFFE != 0xFFFE
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    private static func isNameStart(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        isNameStart(byte) || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":")
    }
}
