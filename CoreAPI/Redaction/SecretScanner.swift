internal import CoreAPIHTTP

/// Hides secrets in a text that has no form to rely on: a sentence, an address, a header line. It never parses: from a secret's
/// name on it hides the rest, or the structure around it. Only an item `token=abc` ends where the next one begins.
struct SecretScanner {
    private let bytes: [UInt8]
    private let redaction: Redaction
    /// Whether values may be percent-encoded.
    private let isEncoded: Bool
    private var position = 0
    private var output: [UInt8] = []
    /// The offset in the output of the outermost bracket or of the first tag, and how many are open.
    private var structure: (start: Int, depth: Int)?

    init(_ text: String, redaction: Redaction, isEncoded: Bool = true) {
        (bytes, self.redaction, self.isEncoded) = (Array(text.utf8), redaction, isEncoded)
        output.reserveCapacity(bytes.count)
    }

    mutating func redacted() -> String {
        while position < bytes.count {
            if isWordStart {
                if let secret = SecretForms.secret(in: bytes, at: position) {
                    copy(secret.lowerBound - position)
                    hide(to: secret.upperBound)
                    continue
                }
                if isEncoded, hideEncoded() { continue }
            }
            switch bytes[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): enterStructure()
            case UInt8(ascii: "}"), UInt8(ascii: "]"): leaveStructure()
            case UInt8(ascii: "<"): if isHidden(at: position) { copy(Self.mask.count) } else { readTag() }
            case UInt8(ascii: "/"): hideUserInformation()
            case UInt8(ascii: ":"), UInt8(ascii: "="): readSeparator()
            default: copy(1)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static let mask = Array(Redaction.mask.utf8)

    private func isHidden(at start: Int) -> Bool { bytes[start...].starts(with: Self.mask) }

    /// A word also begins after a JSON escape: `\nDE89…`.
    private var isWordStart: Bool {
        guard position > 0, bytes[position - 1].isLetter || bytes[position - 1].isDigit else { return true }
        return position > 1 && bytes[position - 2] == UInt8(ascii: "\\") && "nrtbf".utf8.contains(bytes[position - 1])
    }

    private mutating func copy(_ count: Int) {
        output += bytes[position..<position + count]
        position += count
    }

    private mutating func hide(to end: Int) {
        output += Self.mask
        position = end
    }

    /// Hides everything from here on, and the structure around it: a value may stand before its name.
    private mutating func hideRest() {
        if let structure { output.removeLast(output.count - structure.start) }
        hide(to: bytes.count)
    }

    private mutating func enterStructure() {
        structure = (structure?.start ?? output.count, (structure?.depth ?? 0) + 1)
        copy(1)
    }

    private mutating func leaveStructure() {
        copy(1)
        structure = structure.flatMap { $0.depth > 1 ? ($0.start, $0.depth - 1) : nil }
    }

    /// `<token>…</token>`, `<param name="token" …/>`, `<key>token</key>`. The structure of a tag never ends.
    private mutating func readTag() {
        let tag = bytes[(position + 1)...].prefix(128).prefix { $0.isWordByte || $0 == UInt8(ascii: ":") }
        guard let first = tag.first, !first.isDigit else { return copy(1) }
        enterStructure()
        let name = String(decoding: tag.split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
        let content = bytes[tag.endIndex...].prefix(64).dropFirst().prefix { $0 != UInt8(ascii: "<") }
        let isPair = SecretNames.isName(name) && redaction.hides(String(decoding: content, as: UTF8.self))
        if redaction.hides(name) || SecretNames.isCard(name) || isPair { hideRest() }
    }

    /// A colon or an equals sign, perhaps with a name before it and its value after it.
    private mutating func readSeparator() {
        let separator = bytes[position]
        let next = bytes[(position + 1)...].first
        guard let (name, start, isQuoted) = nameBefore() else { return copy(1) }
        let value = bytes[(position + 1)...].drop { $0 <= 0x20 || "\\\"'>".utf8.contains($0) }
        guard let first = value.first, first != UInt8(ascii: ")") else { return copy(value.startIndex - position) }
        if isHidden(at: value.startIndex) {
            // By an earlier redaction. Text after the mask of a label belongs to the secret.
            let rest = value.dropFirst(Self.mask.count).first
            let isWhole =
                separator == UInt8(ascii: "=") ? rest?.isWordByte != true : rest.map { "\",}])".utf8.contains($0) } ?? true
            if isWhole { return copy(value.startIndex - position) }
        }
        let isItem = !isQuoted && separator == UInt8(ascii: "=") && next?.isItemValue == true
        let opens = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        let quoted = String(decoding: value.prefix(64).prefix { !$0.isQuote && $0 != UInt8(ascii: "\\") }, as: UTF8.self)
        let isPair = value.startIndex > position + 1 && SecretNames.isName(name) && redaction.hides(quoted)
        guard
            redaction.hides(name) || isItem && redaction.hides(name, inForm: true) && !isNumberInProse(from: start)
                || opens && SecretNames.isCard(name) || isPair || name.firstRange(of: #"\u"#) != nil
        else { return copy(1) }
        copy(1)
        if isItem, let end = endOfItem() { return hide(to: end) }
        if structure == nil { copy(bytes[position...].prefix { $0 == 0x20 }.count) }
        hideRest()
    }

    /// The name that ends here, a quoted text or the word of an item, with its offset.
    private func nameBefore() -> (name: String, start: Int, isQuoted: Bool)? {
        var end = position
        func drop(_ matches: (UInt8) -> Bool) { while end > 0, end > position - 64, matches(bytes[end - 1]) { end -= 1 } }
        drop { $0 <= 0x20 }
        drop { $0 == UInt8(ascii: "]") }
        let quote = end > 0 && bytes[end - 1].isQuote ? bytes[end - 1] : nil
        drop { $0.isQuote || $0 == UInt8(ascii: "\\") }
        let text = bytes[..<end].suffix(128)
        let quoted = quote.flatMap { text.suffix(64).lastIndex(of: $0) }
        guard let start = (quoted ?? text.lastIndex { !$0.isItemName }).map({ $0 + 1 }) ?? text.indices.first, start < end else {
            return nil
        }
        let name = PercentEncoding.decode(String(decoding: bytes[start..<end], as: UTF8.self))
        // An address may be a part of an escaped name: `%3Fcode`.
        return (quote == nil ? name.split { "?&;#/".contains($0) }.last.map(String.init) ?? "" : name, start, quote != nil)
    }

    /// An error's `Code=-1009` and a program's `code=1` are no secrets, but a code of four or more digits may be one.
    private func isNumberInProse(from start: Int) -> Bool {
        let value = bytes[(position + 1)...].prefix { $0.isItemValue }
        return start > 0 && " \t,({".utf8.contains(bytes[start - 1])
            && value.allSatisfy { $0.isDigit || ",.;:)".utf8.contains($0) }
            && (value.count(where: \.isDigit) <= 3 || bytes[start] == UInt8(ascii: "C"))
    }

    /// The offset after an item's value; `nil` if more text belongs to it, as in `token=Bearer abc` and `otp=X-Api-Key: abc`.
    private func endOfItem() -> Int? {
        let value = bytes[position...].prefix { $0 != 0x20 && !"\n\r&,)\"}]".utf8.contains($0) }
        let word = String(decoding: value.prefix(8), as: UTF8.self).lowercased()
        let next = bytes[value.endIndex...].first
        let isLabel =
            (value.last == UInt8(ascii: ":") || value.last == UInt8(ascii: "=")) && (next == 0x20 || next?.isQuote == true)
        guard !isLabel, !value.starts(with: "-----BEGIN".utf8), !["bearer", "basic", "digest", "token"].contains(word) else {
            return nil
        }
        // The closing quote of `'https://h/?token=a' is rejected` belongs to the sentence.
        let marks = value.reversed().prefix { ".:;?!'`".utf8.contains($0) }
        return value.endIndex - (marks.contains { "'`".utf8.contains($0) } ? marks.count : 0)
    }

    /// A part of an address that holds a secret once it is decoded, such as another address.
    private mutating func hideEncoded() -> Bool {
        guard position == 0 || !bytes[position - 1].isEncodedPart else { return false }
        let part = bytes[position...].prefix { $0.isEncodedPart }
        guard part.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return false }
        let decoded = Redaction.decoded(String(decoding: part, as: UTF8.self))
        var scanner = SecretScanner(decoded, redaction: redaction, isEncoded: false)
        guard scanner.redacted() != decoded else { return false }
        hide(to: part.endIndex)
        return true
    }

    /// `//user:secret@host` → `//<redacted>@host`; in JSON the slashes may be escaped.
    private mutating func hideUserInformation() {
        copy(1)
        let before = bytes[..<(position - 1)].suffix(2)
        guard before.last == UInt8(ascii: "/") || before.elementsEqual(#"/\"#.utf8) else { return }
        let user = bytes[position...].prefix { $0 > 0x20 && !"/?#@\"'<>[]{}\\".utf8.contains($0) }
        // Removed already if the address is malformed.
        guard !user.isEmpty, bytes[user.endIndex...].first == UInt8(ascii: "@"), !user.elementsEqual("…".utf8) else { return }
        hide(to: user.endIndex)
    }
}

extension UInt8 {
    fileprivate var isItemName: Bool { isWordByte || "%[].+~\\".utf8.contains(self) }
    /// Whether an item's value may begin with it.
    fileprivate var isItemValue: Bool { self > 0x20 && !"&?;#\"'({,`\\}<>".utf8.contains(self) }
    /// A part of an address between its separators.
    fileprivate var isEncodedPart: Bool { isItemValue && !"=/".utf8.contains(self) }
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
}
