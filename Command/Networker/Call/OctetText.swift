import CoreAPIHTTP

/// Text from outside is split at octets, as in the core. `Character`s would miss a separator with a combining mark behind it,
/// and take U+037E for `;`, because the two are canonically equivalent.
extension StringProtocol where SubSequence == Substring {
    /// The text before the first of these ASCII characters; without one, the whole text.
    func before(anyOf characters: String) -> Substring {
        self[..<(utf8.firstIndex { characters.utf8.contains($0) } ?? endIndex)]
    }

    /// The text after this ASCII text at its beginning; `nil` if it begins otherwise.
    func after(_ beginning: String) -> Substring? {
        guard utf8.starts(with: beginning.utf8) else { return nil }
        return self[utf8.index(startIndex, offsetBy: beginning.utf8.count)...]
    }

    /// The texts before and after the first of these ASCII texts; `nil` without one.
    func split(atFirst separator: String) -> (before: Substring, after: Substring)? {
        guard let range = utf8.firstRange(of: separator.utf8) else { return nil }
        return (self[..<range.lowerBound], self[range.upperBound...])
    }

    func containsOctets(of text: String) -> Bool { utf8.firstRange(of: text.utf8) != nil }
}

extension String {
    /// The text with ASCII letters in small letters. `lowercased()` makes other letters ASCII, too, such as the Kelvin sign.
    var inSmallLetters: String { String(decoding: utf8.map { $0.isLetter ? $0 | 0x20 : $0 }, as: UTF8.self) }
}
