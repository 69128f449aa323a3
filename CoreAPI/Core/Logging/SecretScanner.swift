/// Walks text once, from word to word, and leaves out what stands after a secret name. It never parses: cut-off JSON, forms and
/// header lines are all read by the same three rules, and what cannot be understood is hidden rather than shown.
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
            guard bytes[position].isWordByte else {
                output.append(bytes[position])
                position += 1
                continue
            }
            let start = position
            while position < bytes.count, bytes[position].isWordByte { position += 1 }
            output.append(contentsOf: bytes[start..<position])
            let word = String(decoding: bytes[start..<position], as: UTF8.self)
            if ["bearer", "basic", "digest"].contains(word.lowercased()) {
                skipCredentials()
            } else if redaction.hides(word) {
                skipValue()
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// `Bearer abc` → `Bearer <redacted>`; the word alone, as in a sentence, stays.
    private mutating func skipCredentials() {
        guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: " ") else { return }
        var end = position + 1
        while end < bytes.count, bytes[end].isTokenByte { end += 1 }
        // Words of ordinary prose after "basic" are short; credentials are not.
        guard end - position > 8 else { return }
        output.append(UInt8(ascii: " "))
        output.append(contentsOf: Redaction.mask.utf8)
        position = end
    }

    /// `name=value`, `name: value`, `"name": "value"`, `"name": {…}`, and the same with escaped quotes.
    private mutating func skipValue() {
        var next = position
        while next < bytes.count, bytes[next] == UInt8(ascii: "\\") || bytes[next].isQuote || bytes[next] == UInt8(ascii: "]") {
            next += 1
        }
        while next < bytes.count, bytes[next] == UInt8(ascii: " ") { next += 1 }
        guard next < bytes.count, bytes[next] == UInt8(ascii: ":") || bytes[next] == UInt8(ascii: "=") else { return }
        let isAssignment = bytes[next] == UInt8(ascii: "=")
        next += 1
        while next < bytes.count, bytes[next] == UInt8(ascii: " ") { next += 1 }
        guard next < bytes.count else { return }
        var valueStart = next
        while valueStart < bytes.count, bytes[valueStart] == UInt8(ascii: "\\") { valueStart += 1 }
        guard valueStart < bytes.count, bytes[valueStart] != UInt8(ascii: ")") else { return }

        let end: Int
        if bytes[valueStart].isQuote {
            let quote = bytes[valueStart]
            let isEscaped = valueStart > next
            valueStart += 1
            end = endOfString(from: valueStart, quote: quote, isEscaped: isEscaped)
        } else if bytes[valueStart] == UInt8(ascii: "{") || bytes[valueStart] == UInt8(ascii: "[") {
            end = endOfNested(from: valueStart)
        } else {
            end = endOfPlain(from: valueStart, isAssignment: isAssignment)
        }
        guard end > valueStart else { return }
        output.append(contentsOf: bytes[position..<valueStart])
        output.append(contentsOf: Redaction.mask.utf8)
        position = end
    }

    private func endOfString(from start: Int, quote: UInt8, isEscaped: Bool) -> Int {
        var index = start
        while index < bytes.count {
            if bytes[index] == quote { return index }
            if bytes[index] == UInt8(ascii: "\\") {
                if isEscaped, index + 1 < bytes.count, bytes[index + 1] == quote { return index }
                index += 1
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

    private func endOfPlain(from start: Int, isAssignment: Bool) -> Int {
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case 0x0A, 0x0D, UInt8(ascii: "}"), UInt8(ascii: "]"): return index
            case UInt8(ascii: "&"), UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: "'"), UInt8(ascii: "\""),
                UInt8(ascii: ")"):
                if isAssignment { return index }
                // After a colon it may be a header line, whose value holds spaces and commas of its own.
                if bytes[index] == UInt8(ascii: "'") || bytes[index] == UInt8(ascii: "\"") { return index }
            default: break
            }
            index += 1
        }
        return bytes.count
    }
}

extension UInt8 {
    fileprivate var isWordByte: Bool { isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") }
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
    /// RFC 9110 §11.2, token68.
    fileprivate var isTokenByte: Bool {
        isWordByte || self == UInt8(ascii: ".") || self == UInt8(ascii: "~") || self == UInt8(ascii: "+")
            || self == UInt8(ascii: "/")
            || self == UInt8(ascii: "=")
    }
}
