/// Walks text once, from word to word, and leaves out what stands after a secret name. It never parses, so that cut-off JSON, forms
/// and header lines are read by the same few rules.
struct SecretScanner {
    private let bytes: [UInt8]
    private let redaction: Redaction
    private var position = 0
    private var output: [UInt8] = []

    init(_ text: String, redaction: Redaction) {
        bytes = Array(text.utf8)
        self.redaction = redaction
        output.reserveCapacity(bytes.count)
    }

    mutating func redacted() -> String {
        while position < bytes.count {
            if skipUserInformation() { continue }
            guard bytes[position].isWordByte else {
                copy(1)
                continue
            }
            let name = readName()
            let scheme = (5...6).contains(name.utf8.count) ? name.lowercased() : ""
            if ["bearer", "basic", "digest"].contains(scheme) {
                skipCredentials(toEndOfLine: scheme == "digest")
            } else if redaction.hides(name) {
                if !skipElement(name) { skipValue() }
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func copy(_ count: Int) {
        output.append(contentsOf: bytes[position..<position + count])
        position += count
    }

    /// `<token type="bearer">a<b/>c</token>` → `<token><redacted></token>`: whatever the element has in it, and in its tag.
    private mutating func skipElement(_ name: String) -> Bool {
        var start = position - name.utf8.count
        guard start > 0 else { return false }
        // A prefix may stand between the bracket and the name.
        if bytes[start - 1] == UInt8(ascii: ":") {
            start -= 1
            while start > 0, bytes[start - 1].isWordByte { start -= 1 }
        }
        guard start > 0, bytes[start - 1] == UInt8(ascii: "<") else { return false }
        let tag = Array(bytes[start..<position])
        guard let tagEnd = bytes[position...].firstIndex(of: UInt8(ascii: ">")), bytes[tagEnd - 1] != UInt8(ascii: "/") else {
            let end = bytes[position...].firstIndex(of: UInt8(ascii: ">")).map { $0 - 1 } ?? bytes.count
            if end > position { mask(to: end) }
            return true
        }
        output.append(UInt8(ascii: ">"))
        mask(to: endOfElement(tag, from: tagEnd + 1))
        return true
    }

    /// Where the closing tag begins that belongs to an opening one; the end of the text where there is none.
    private func endOfElement(_ tag: [UInt8], from start: Int) -> Int {
        var depth = 1
        var index = start
        while let bracket = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            let isClosing = bytes[(bracket + 1)...].first == UInt8(ascii: "/")
            let name = bracket + (isClosing ? 2 : 1)
            index = name
            guard name <= bytes.count, bytes[name...].starts(with: tag),
                name + tag.count == bytes.count || !bytes[name + tag.count].isWordByte
            else { continue }
            depth += isClosing ? -1 : 1
            if depth == 0 { return bracket }
        }
        return bytes.count
    }

    private mutating func mask(to end: Int) {
        output.append(contentsOf: Redaction.mask.utf8)
        position = end
    }

    /// A word; behind an opening quote the whole quoted text, if it is short and a value follows, because a JSON key may hold anything.
    private mutating func readName() -> String {
        let start = position
        var end = position
        while end < bytes.count, bytes[end].isWordByte { end += 1 }
        if start > 0, bytes[start - 1].isQuote {
            var close = end
            while close < bytes.count, close - start < 64, bytes[close] != bytes[start - 1],
                bytes[close] != UInt8(ascii: "\\") || isEscapedUnit(at: close), bytes[close] >= 0x20
            {
                close += 1
            }
            if close < bytes.count, bytes[close] == bytes[start - 1] || bytes[close] == UInt8(ascii: "\\"),
                separator(after: close) != nil
            {
                end = close
            }
        }
        copy(end - start)
        let name = String(decoding: bytes[start..<end], as: UTF8.self)
        guard bytes[start..<end].contains(UInt8(ascii: "\\")) else { return name }
        // A key may be written with escapes; what it says counts.
        return name.replacing(/\\u([0-9a-fA-F]{4})/) { match in
            UInt32(match.output.1, radix: 16).flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? ""
        }
    }

    private func isEscapedUnit(at index: Int) -> Bool {
        index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "u")
    }

    /// `//user:secret@host` → `//<redacted>@host`
    private mutating func skipUserInformation() -> Bool {
        guard bytes[position] == UInt8(ascii: "/"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "/") else {
            return false
        }
        var end = position + 2
        while end < bytes.count, bytes[end].isUserInformation { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "@"), end > position + 2 else { return false }
        copy(2)
        output.append(contentsOf: Redaction.mask.utf8)
        position = end
        return true
    }

    /// `Bearer abc` → `Bearer <redacted>`; the word alone, as in a sentence, stays.
    private mutating func skipCredentials(toEndOfLine: Bool) {
        var start = position
        while start < bytes.count, bytes[start] == UInt8(ascii: " ") || bytes[start] == 0x09 { start += 1 }
        guard start > position else { return }
        var end = start
        while end < bytes.count, bytes[end].isToken68 { end += 1 }
        if toEndOfLine, end < bytes.count, bytes[start..<end].last == UInt8(ascii: "=") {
            while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
        }
        // Words of ordinary prose after "basic" are short; credentials are not.
        guard end - start > 7 else { return }
        copy(start - position)
        output.append(contentsOf: Redaction.mask.utf8)
        position = end
    }

    /// Where the value begins that belongs to a name which ends here: behind `:`, `=` or an XML tag's `>`, with what quotes the name,
    /// closes its brackets or is white space.
    private func separator(after end: Int) -> (value: Int, kind: UInt8, isQuoted: Bool)? {
        var next = end
        while next < bytes.count, bytes[next] == UInt8(ascii: "\\") || bytes[next].isQuote { next += 1 }
        let isQuoted = next > end
        while next < bytes.count {
            if bytes[next] == UInt8(ascii: "]") || bytes[next] == UInt8(ascii: "[") {
                next += 1
            } else if bytes[next...].starts(with: "%5D".utf8) || bytes[next...].starts(with: "%5B".utf8) {
                next += 3
            } else {
                break
            }
        }
        func skipSpace() {
            while next < bytes.count,
                bytes[next] == 0x20 || bytes[next] == 0x09 || (isQuoted && (bytes[next] == 0x0A || bytes[next] == 0x0D))
            {
                next += 1
            }
        }
        skipSpace()
        guard next < bytes.count, [UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: ">")].contains(bytes[next]) else {
            return nil
        }
        let kind = bytes[next]
        next += 1
        skipSpace()
        guard next < bytes.count, bytes[next] != UInt8(ascii: ")") else { return nil }
        return (next, kind, isQuoted)
    }

    private mutating func skipValue() {
        guard let (start, kind, isQuoted) = separator(after: position) else { return }
        var valueStart = start
        while valueStart < bytes.count, bytes[valueStart] == UInt8(ascii: "\\") { valueStart += 1 }
        guard valueStart < bytes.count else { return }

        let end: Int
        if bytes[valueStart].isQuote, kind != UInt8(ascii: ">") {
            let quote = bytes[valueStart]
            valueStart += 1
            end = endOfString(from: valueStart, quote: quote, escapes: valueStart - 1 - start)
        } else if bytes[valueStart] == UInt8(ascii: "{") || bytes[valueStart] == UInt8(ascii: "[") {
            end = endOfNested(from: valueStart)
        } else {
            end = (isQuoted ? endOfLiteral(from: valueStart) : nil) ?? endOfPlain(from: valueStart, kind: kind)
        }
        guard end > valueStart else { return }
        copy(valueStart - position)
        output.append(contentsOf: Redaction.mask.utf8)
        position = end
    }

    /// The closing quote has as many backslashes before it as the opening one; one with more belongs to the text.
    private func endOfString(from start: Int, quote: UInt8, escapes: Int) -> Int {
        var index = start
        var backslashes = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\") {
                backslashes += 1
            } else {
                if bytes[index] == quote, backslashes == escapes || (escapes == 0 && backslashes.isMultiple(of: 2)) {
                    return index - min(backslashes, escapes)
                }
                backslashes = 0
            }
            index += 1
        }
        return bytes.count
    }

    private func endOfNested(from start: Int) -> Int {
        var depth = 0
        var index = start
        var inString = false
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\"): index += 1
            case UInt8(ascii: "\""): inString.toggle()
            case UInt8(ascii: "{") where !inString, UInt8(ascii: "[") where !inString: depth += 1
            case UInt8(ascii: "}") where !inString, UInt8(ascii: "]") where !inString:
                depth -= 1
                if depth == 0 { return index + 1 }
            default: break
            }
            index += 1
        }
        return bytes.count
    }

    /// A number, a truth value or null of JSON, if it is one and the object goes on behind it.
    private func endOfLiteral(from start: Int) -> Int? {
        guard let end = bytes[start...].firstIndex(where: { !$0.isLetter && !$0.isDigit && !"+-.".utf8.contains($0) }) else {
            return nil
        }
        let isLiteral =
            bytes[start] == UInt8(ascii: "-") || bytes[start].isDigit
            || ["true", "false", "null"].contains { bytes[start..<end].elementsEqual($0.utf8) }
        guard isLiteral, let next = bytes[end...].first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return nil }
        return ",}]".utf8.contains(next) ? end : nil
    }

    /// Whether a value stands apart from the separator here.
    private func isLabel(at index: Int) -> Bool {
        guard index + 1 < bytes.count else { return false }
        return bytes[index + 1].isQuote || [0x20, 0x09, UInt8(ascii: "\\")].contains(bytes[index + 1])
    }

    private func endOfPlain(from start: Int, kind: UInt8) -> Int {
        var index = start
        var kind = kind
        while index < bytes.count {
            switch bytes[index] {
            case 0x0A, 0x0D: return index
            // What looks like a name itself takes its value along: `otp=X-Api-Key: abc`.
            case UInt8(ascii: ":") where isLabel(at: index), UInt8(ascii: "=") where isLabel(at: index):
                if kind == UInt8(ascii: "=") { kind = UInt8(ascii: ":") }
            case UInt8(ascii: "<"): if kind == UInt8(ascii: ">") { return index }
            // No bracket of a text ends what the text is a part of.
            case UInt8(ascii: "\"") where kind == UInt8(ascii: ":"):
                index = min(endOfString(from: index + 1, quote: UInt8(ascii: "\""), escapes: 0), bytes.count - 1)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): if kind != UInt8(ascii: ">") { return index }
            // After a colon it may be a header line, whose value holds spaces and commas of its own.
            case UInt8(ascii: "&"), UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: ")"), UInt8(ascii: "\""):
                if kind == UInt8(ascii: "=") { return index }
            default: break
            }
            index += 1
        }
        return bytes.count
    }
}

extension UInt8 {
    fileprivate var isWordByte: Bool {
        isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") || self >= 0x80
    }
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
    /// RFC 9110 §11.2.
    fileprivate var isToken68: Bool {
        isLetter || isDigit || "-_.~+/=".utf8.contains(self)
    }
    /// RFC 3986 §3.2.1; a slash, a quote or a space ends it.
    fileprivate var isUserInformation: Bool {
        self > 0x20 && !"/?#@\"'<>[]{}\\".utf8.contains(self)
    }
}
