/// Finds where the values of a document end that are neither arrays nor objects, and what stands between values.
///
/// Two words, and not the whole ``Scanner``, which would be copied for each value.
struct TokenScanner {
    /// Followed by ``Document/padding`` zeros.
    let bytes: UnsafePointer<UInt8>
    let count: Int

    /// - Parameters:
    ///   - byte: the value's first.
    ///   - at: behind the value afterwards.
    /// - Returns: `nil` for what is neither a string, a number nor a word.
    @inline(__always)
    func scalar(_ byte: UInt8, _ at: inout Int) throws(JSONSyntaxError) -> TapeEntry? {
        switch byte {
        case UInt8(ascii: "\""):
            let entry = try string(from: at &+ 1)
            at = entry.offset &+ entry.length &+ 1
            return entry
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number(&at)
        // What is behind the text is zero, and no word has that.
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

    /// Everything that numbers are made of, in any order.
    @inline(__always)
    private func number(_ at: inout Int) -> TapeEntry {
        let start = at
        var flags = TapeEntry.digits
        at &+= 1
        while true {
            let byte = bytes[at]
            if byte &- UInt8(ascii: "0") > 9 {
                guard
                    byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") || byte == UInt8(ascii: "-")
                        || byte == UInt8(ascii: "+")
                else { break }
                flags = 0
            }
            at &+= 1
        }
        return TapeEntry(.number, flags: flags, length: at &- start, offset: start)
    }

    /// - Parameter start: behind the opening quote.
    @inline(__always)
    func string(from start: Int) throws(JSONSyntaxError) -> TapeEntry {
        var place = start
        var seen: UInt64 = 0
        // Zeros behind the end stop it.
        while true {
            let word = SWAR.load(bytes + place)
            let special = SWAR.special(word)
            if special == 0 {
                seen |= word
                place &+= 8
                continue
            }
            let count = special.trailingZeroBitCount &>> 3
            seen |= word & SWAR.mask(count)
            place &+= count
            break
        }
        guard bytes[place] == UInt8(ascii: "\"") else { return try oddString(start, place, seen) }
        let flags = TapeEntry.simple | (seen & SWAR.highs == 0 ? TapeEntry.ascii : 0)
        return TapeEntry(.string, flags: flags, length: place &- start, offset: start)
    }

    /// From the first backslash or control character on.
    @inline(never)
    private func oddString(_ start: Int, _ from: Int, _ seenBefore: UInt64) throws(JSONSyntaxError) -> TapeEntry {
        var place = from
        var seen = seenBefore
        var controls: UInt64 = 0
        while place < count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                let flags = controls | (seen & SWAR.highs == 0 ? TapeEntry.ascii : 0)
                return TapeEntry(.string, flags: flags, length: place &- start, offset: start)
            case UInt8(ascii: "\\"):
                let escaped = bytes[place &+ 1]
                if escaped == UInt8(ascii: "u") {
                    for digit in 2..<6 where place &+ digit >= count || bytes[place &+ digit] == UInt8(ascii: "\"") {
                        throw JSONSyntaxError(reason: "expected four hexadecimal digits behind \\u", offset: place)
                    }
                    seen |= SWAR.load(bytes + place) & SWAR.mask(6)
                    place &+= 6
                } else {
                    seen |= UInt64(escaped)
                    place &+= 2
                }
            case ..<0x20:
                controls = TapeEntry.controls
                place &+= 1
            default:
                var word = SWAR.load(bytes + place)
                var special = SWAR.special(word)
                while special == 0 {
                    seen |= word
                    place &+= 8
                    word = SWAR.load(bytes + place)
                    special = SWAR.special(word)
                }
                let count = special.trailingZeroBitCount &>> 3
                seen |= word & SWAR.mask(count)
                place &+= count
            }
        }
        throw JSONSyntaxError(reason: "expected the end of the string that begins here", offset: start)
    }

    // MARK: - Between values

    /// - Parameters:
    ///   - byte: the first behind a value and space.
    ///   - closing: what closes the array or object. It may stand behind a comma.
    /// - Returns: the first of what follows.
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

    /// - Returns: the first byte that is none.
    @inline(__always)
    func skipSpace(_ at: inout Int) -> UInt8 {
        if bytes[at] <= 0x20 { at = behindSpace(at) }
        return bytes[at]
    }

    @inline(never)
    private func behindSpace(_ from: Int) -> Int {
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
