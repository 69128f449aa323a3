/// The tokens of Swift source text, without comments and without the contents of strings.
///
/// A token is a word (an identifier, a keyword or a number), a string as `""`, or one character of punctuation.
struct SwiftText {
    struct Token: Equatable {
        let text: String
        /// From 1.
        let line: Int
    }

    let tokens: [Token]

    init(_ source: String) {
        var reader = Reader(bytes: Array(source.utf8))
        reader.read()
        tokens = reader.tokens
    }
}

private struct Reader {
    let bytes: [UInt8]
    var position = 0
    var line = 1
    var tokens: [SwiftText.Token] = []

    /// Reads to the end, or to the parenthesis that ends an interpolation.
    mutating func read(isInterpolation: Bool = false) {
        var depth = 0
        while position < bytes.count {
            let byte = bytes[position]
            if isAhead("//") {
                while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
            } else if isAhead("/*") {
                skipComment()
            } else if let hashes = hashesBeforeString {
                readString(hashes)
            } else if byte.isOfWord {
                let end = bytes[position...].firstIndex { !$0.isOfWord } ?? bytes.count
                add(String(decoding: bytes[position..<end], as: UTF8.self))
                position = end
            } else {
                // A name between backticks is the name.
                if byte > 0x20, byte != UInt8(ascii: "`") { add(String(decoding: [byte], as: UTF8.self)) }
                depth += byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
                advance(1)
                if isInterpolation, depth == 0 { return }
            }
        }
    }

    private mutating func add(_ text: String) { tokens.append(SwiftText.Token(text: text, line: line)) }

    private func isAhead(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func advance(_ count: Int) {
        line += bytes[position...].prefix(count).count { $0 == UInt8(ascii: "\n") }
        position = min(position + count, bytes.count)
    }

    /// Comments nest.
    private mutating func skipComment() {
        var depth = 0
        repeat {
            let change = isAhead("/*") ? 1 : isAhead("*/") ? -1 : 0
            depth += change
            advance(change == 0 ? 1 : 2)
        } while depth > 0 && position < bytes.count
    }

    /// The number of `#` before a string that begins here; `nil` if none begins.
    private var hashesBeforeString: Int? {
        let hashes = bytes[position...].prefix { $0 == UInt8(ascii: "#") }.count
        return position + hashes < bytes.count && bytes[position + hashes] == UInt8(ascii: "\"") ? hashes : nil
    }

    /// Reads a string. The code of its interpolations follows it.
    private mutating func readString(_ hashes: Int) {
        add("\"\"")
        position += hashes
        let quotes = isAhead("\"\"\"") ? 3 : 1
        let marks = String(repeating: "#", count: hashes)
        let (end, escape) = (String(repeating: "\"", count: quotes) + marks, "\\" + marks)
        position += quotes
        while position < bytes.count, !isAhead(end) {
            if quotes == 1, bytes[position] == UInt8(ascii: "\n") { return }
            if isAhead(escape + "(") {
                position += escape.utf8.count
                read(isInterpolation: true)
            } else {
                advance(isAhead(escape) ? escape.utf8.count + 1 : 1)
            }
        }
        advance(end.utf8.count)
    }
}

extension UInt8 {
    fileprivate var isOfWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}
