/// Scans strings, numbers and literals, and the separators between values.
///
/// Apart from ``Scanner``, because each value would copy the whole scanner. This is two words.
struct TokenScanner {
    /// Followed by ``Document/padding`` zeros.
    let bytes: UnsafePointer<UInt8>
    let count: Int

    /// Moves the offset of a value's first byte behind the value.
    ///
    /// - Returns: `nil` if no string, number or literal begins here.
    @inline(__always)
    func scalar(_ byte: UInt8, _ at: inout Int) throws(JSONSyntaxError) -> TapeEntry? {
        switch byte {
        case UInt8(ascii: "\""):
            let entry = try string(from: at &+ 1)
            at = entry.offset &+ entry.length &+ 1
            return entry
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number(&at)
        // Zeros follow the text, and no literal contains one.
        case UInt8(ascii: "t"): return try word("'true'", 0x6575_7274, .true, length: 4, &at)
        case UInt8(ascii: "f"): return try word("'false'", 0x6573_6C61, .false, length: 5, &at)
        case UInt8(ascii: "n"): return try word("'null'", 0x6C6C_756E, .null, length: 4, &at)
        default: return nil
        }
    }

    /// - Parameter end: the word's last four letters, the first in the lowest bits.
    @inline(__always)
    private func word(
        _ word: StaticString, _ end: UInt32, _ kind: TapeEntry.Kind, length: Int, _ at: inout Int
    ) throws(JSONSyntaxError) -> TapeEntry {
        guard SWAR.half(bytes + (at &+ length &- 4)) == end else { throw unexpected(word, at) }
        defer { at &+= length }
        return TapeEntry(kind, length: length, offset: at)
    }

    /// Accepts the characters of numbers in any order. ``NumberText`` checks the grammar.
    @inline(__always)
    private func number(_ at: inout Int) -> TapeEntry {
        let start = at
        var flags = TapeEntry.digits
        while true {
            at &+= 1
            switch bytes[at] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): continue
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "-"), UInt8(ascii: "+"): flags = 0
            default: return TapeEntry(.number, flags: flags, length: at &- start, offset: start)
            }
        }
    }

    /// - Parameter start: the offset after the opening quote.
    @inline(__always)
    func string(from start: Int) throws(JSONSyntaxError) -> TapeEntry {
        var offset = start
        var seen: UInt64 = 0
        skipPlain(&offset, &seen)
        guard bytes[offset] == UInt8(ascii: "\"") else { return try oddString(start, offset, seen) }
        let flags = TapeEntry.simple | (seen & SWAR.highs == 0 ? TapeEntry.ascii : 0)
        return TapeEntry(.string, flags: flags, length: offset &- start, offset: start)
    }

    /// Skips to a quote, a backslash or a control character, and adds the bits of all skipped bytes to `seen`. Zeros after the
    /// text end the loop.
    @inline(__always)
    private func skipPlain(_ offset: inout Int, _ seen: inout UInt64) {
        while true {
            let word = SWAR.load(bytes + offset)
            let special = SWAR.special(word)
            if special != 0 {
                let count = SWAR.index(special)
                seen |= word & SWAR.mask(count)
                offset &+= count
                return
            }
            seen |= word
            offset &+= SWAR.size
        }
    }

    /// Continues at the first backslash or control character.
    @inline(never)
    private func oddString(_ start: Int, _ from: Int, _ seenBefore: UInt64) throws(JSONSyntaxError) -> TapeEntry {
        var offset = from
        var seen = seenBefore
        var controls: UInt64 = 0
        while offset < count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                let flags = controls | (seen & SWAR.highs == 0 ? TapeEntry.ascii : 0)
                return TapeEntry(.string, flags: flags, length: offset &- start, offset: start)
            case UInt8(ascii: "\\"):
                let escaped = bytes[offset &+ 1]
                if escaped == UInt8(ascii: "u") {
                    for digit in 2..<6 where offset &+ digit >= count || bytes[offset &+ digit] == UInt8(ascii: "\"") {
                        throw JSONSyntaxError(reason: "expected four hexadecimal digits after \\u", offset: offset)
                    }
                    seen |= SWAR.load(bytes + offset) & SWAR.mask(6)
                    offset &+= 6
                } else {
                    seen |= UInt64(escaped)
                    offset &+= 2
                }
            case ..<0x20:
                controls = TapeEntry.controls
                offset &+= 1
            default: skipPlain(&offset, &seen)
            }
        }
        throw JSONSyntaxError(reason: "expected the end of the string that begins here", offset: start)
    }

    // MARK: - Between values

    /// Skips a comma and white space, unless the byte is the closing bracket, which may also follow a comma. Returns the next byte.
    @inline(__always)
    func skipComma(
        _ byte: UInt8, _ expected: StaticString, _ at: inout Int, _ closing: UInt8
    ) throws(JSONSyntaxError) -> UInt8 {
        if byte == UInt8(ascii: ",") {
            at &+= 1
            return skipSpace(&at)
        }
        guard byte == closing else { throw unexpected(expected, at) }
        return byte
    }

    /// - Returns: the first byte that is not white space.
    @inline(__always)
    func skipSpace(_ at: inout Int) -> UInt8 {
        if bytes[at] <= 0x20 { at = afterSpace(at) }
        return bytes[at]
    }

    @inline(never)
    private func afterSpace(_ from: Int) -> Int {
        var at = from
        while bytes[at] == 0x20 || bytes[at] == 0x0A || bytes[at] == 0x0D || bytes[at] == 0x09 { at &+= 1 }
        return at
    }

    @inline(never)
    func unexpected(_ expected: StaticString, _ at: Int) -> JSONSyntaxError {
        guard at < count else { return JSONSyntaxError(reason: "expected \(expected), found the end", offset: count) }
        let byte = bytes[at]
        let found = byte > 0x20 && byte < 0x7F ? "'\(Character(Unicode.Scalar(byte)))'" : "byte \(byte)"
        return JSONSyntaxError(reason: "expected \(expected), found \(found)", offset: at)
    }
}
