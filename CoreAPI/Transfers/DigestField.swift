internal import CoreAPIHTTPSupport
internal import Foundation

/// The value of `Repr-Digest` or `Content-Digest` (RFC 9530 §2, §3): a dictionary of byte sequences (RFC 9651 §3.2, §3.3.5).
///
/// A value that is not a dictionary is ignored as a whole (RFC 9651 §4.2). A member with an unknown algorithm is ignored, too. A
/// digest of a known algorithm with another form or length matches no file.
struct DigestField: Sendable, Hashable {
    /// A digest of a known algorithm; the number of its bytes may be wrong.
    struct Member: Sendable, Hashable {
        let algorithm: ContentDigest.Algorithm
        /// Empty for a member that is not a byte sequence.
        let bytes: [UInt8]
    }

    let members: [Member]

    /// - Parameter text: all lines of the field, joined by commas.
    init?(_ text: String) {
        guard text.utf8.count <= 8_192 else { return nil }
        var scanner = DictionaryScanner(text)
        guard let values = scanner.dictionary() else { return nil }
        members = ContentDigest.Algorithm.allCases.compactMap { algorithm in
            values[algorithm.rawValue].map { Member(algorithm: algorithm, bytes: $0) }
        }
    }

    /// The first digest that differs from the member of its algorithm; `nil` if none does. Algorithms without a digest are
    /// ignored.
    func mismatch(_ digests: [ContentDigest]) -> DownloadError? {
        for member in members {
            guard let found = digests.first(where: { $0.algorithm == member.algorithm }), found.bytes != member.bytes else {
                continue
            }
            let text = "\(member.algorithm.rawValue)=:\(Data(member.bytes).base64EncodedString()):"
            return .digestMismatch(expected: text, found: found.description)
        }
        return nil
    }

    var algorithms: Set<ContentDigest.Algorithm> { Set(members.map(\.algorithm)) }
}

/// Reads a dictionary (RFC 9651 §4.2.2). Of the values it keeps only byte sequences.
private struct DictionaryScanner {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    /// - Returns: `nil` if the text is not a dictionary; an empty list for a value that is not a byte sequence.
    mutating func dictionary() -> [String: [UInt8]]? {
        var values: [String: [UInt8]] = [:]
        skip(" ")
        while !rest.isEmpty {
            guard let name = key() else { return nil }
            values[name] = []
            if take("=") {
                guard let bytes = value() else { return nil }
                values[name] = bytes
            }
            guard skipParameters() else { return nil }
            skip(" \t")
            if rest.isEmpty { break }
            guard take(",") else { return nil }
            skip(" \t")
            // A dictionary may not end with a comma.
            if rest.isEmpty { return nil }
        }
        return values
    }

    /// §4.2.3.3.
    private mutating func key() -> String? {
        guard let first = rest.first, isLowercase(first) || first == UInt8(ascii: "*") else { return nil }
        let key = rest.prefix { isLowercase($0) || $0.isDigit || "_-.*".utf8.contains($0) }
        rest = rest.dropFirst(key.count)
        return String(decoding: key, as: UTF8.self)
    }

    private func isLowercase(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    /// An item or an inner list.
    private mutating func value() -> [UInt8]? {
        guard take("(") else { return item() }
        while true {
            skip(" ")
            if take(")") { return [] }
            guard item() != nil, skipParameters() else { return nil }
            guard let next = rest.first, next == UInt8(ascii: " ") || next == UInt8(ascii: ")") else { return nil }
        }
    }

    /// §4.2.3.1, loosely: of a number, a token, a date or a string the parser needs only the end.
    private mutating func item() -> [UInt8]? {
        switch rest.first.map({ Character(UnicodeScalar($0)) }) {
        case ":": return byteSequence()
        case "\"": return quoted() ? [] : nil
        case "%":
            rest = rest.dropFirst()
            return rest.first == UInt8(ascii: "\"") && quoted() ? [] : nil
        default:
            let word = rest.prefix { $0.isTokenOctet || "?@:/".utf8.contains($0) }
            rest = rest.dropFirst(word.count)
            return word.isEmpty ? nil : []
        }
    }

    /// §4.2.7.
    private mutating func byteSequence() -> [UInt8]? {
        rest = rest.dropFirst()
        let text = rest.prefix { $0 != UInt8(ascii: ":") }
        rest = rest.dropFirst(text.count)
        guard take(":") else { return nil }
        // Parsers should accept missing padding.
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: String(decoding: text, as: UTF8.self) + padding).map { Array($0) }
    }

    /// §4.2.5.
    private mutating func quoted() -> Bool {
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst(), "\"\\".utf8.contains(escaped) else { return false }
            } else if byte < 0x20 || byte > 0x7E {
                return false
            }
        }
        return false
    }

    /// §4.2.3.2.
    private mutating func skipParameters() -> Bool {
        while take(";") {
            skip(" ")
            guard key() != nil else { return false }
            if take("="), item() == nil { return false }
        }
        return true
    }

    private mutating func skip(_ bytes: String) {
        rest = rest.drop { bytes.utf8.contains($0) }
    }

    private mutating func take(_ byte: Character) -> Bool {
        guard rest.first == byte.asciiValue else { return false }
        rest = rest.dropFirst()
        return true
    }
}
