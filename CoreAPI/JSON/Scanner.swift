/// Finds the values of a document in one pass and writes them down as an index (``Entry``).
///
/// Checks as much as Foundation's scanner does: the structure, words and how strings end. Numbers and what is in strings are
/// looked at when they are decoded, so that what nobody asks for may be wrong.
struct Scanner {
    private static let depthLimit = 512
    private static let none = 0
    private let bytes: UnsafePointer<UInt8>
    private let count: Int
    private(set) var tape: UnsafeMutablePointer<UInt64>
    private var capacity: Int
    private var length = 0
    private var at = 0
    /// The innermost open array or object, the place of its entry; in that entry, while it is open, lies the one around it.
    private var open = Self.none
    private var depth = 0
    private var isInObject = false
    /// Values or members in the innermost so far.
    private var items = 0
    private var keys = KeySet()

    /// Whether ``tape`` is memory of its own, which belongs to the caller then, also when scanning has failed.
    private(set) var hasGrown = false

    /// - Parameters:
    ///   - bytes: followed by ``Document/padding`` zeros.
    ///   - tape: room for the index, which stays the caller's.
    ///   - capacity: of it, in words.
    init(bytes: UnsafePointer<UInt8>, count: Int, tape: UnsafeMutablePointer<UInt64>, capacity: Int) {
        self.bytes = bytes
        self.count = count
        self.tape = tape
        self.capacity = capacity
    }

    /// Writes the index to ``tape``.
    mutating func scan() throws(Malformed) {
        append(Entry(.null, length: 0, offset: 0).bits)
        while true {
            try scanValue()
            // Now behind a value, or just inside of an array or object.
            while true {
                guard open != Self.none else { return try finish() }
                let isFirst = items == Self.justOpened
                if isFirst { items = 0 }
                var byte = skipSpace()
                if !isFirst, byte == UInt8(ascii: ",") {
                    at &+= 1
                    byte = skipSpace()
                } else if !isFirst, byte != closing {
                    throw unexpected("',' or '\(isInObject ? "}" : "]")'")
                }
                if byte == closing {
                    at &+= 1
                    close()
                    continue
                }
                items &+= 1
                if isInObject { try scanKey(byte) }
                break
            }
        }
    }

    /// In place of a count: nothing has been read of the innermost array or object.
    private static let justOpened = -1

    private var closing: UInt8 { isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

    @inline(__always)
    private mutating func scanValue() throws(Malformed) {
        if capacity &- length < 4 { grow() }
        let byte = skipSpace()
        switch byte {
        case UInt8(ascii: "\""): append(try scanString().bits)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): scanNumber()
        case UInt8(ascii: "{"): try enter(isObject: true)
        case UInt8(ascii: "["): try enter(isObject: false)
        case UInt8(ascii: "t"): try scanWord("true", .true)
        case UInt8(ascii: "f"): try scanWord("false", .false)
        case UInt8(ascii: "n"): try scanWord("null", .null)
        default: throw unexpected("a value")
        }
    }

    private mutating func finish() throws(Malformed) {
        _ = skipSpace()
        guard at == count else { throw unexpected("nothing behind the value") }
    }

    // MARK: - Arrays and objects

    @inline(__always)
    private mutating func enter(isObject: Bool) throws(Malformed) {
        guard depth < Self.depthLimit else {
            throw Malformed(reason: "expected at most \(Self.depthLimit) arrays and objects within each other", offset: at)
        }
        depth &+= 1
        if open != Self.none { suspend() }
        append(Entry(isObject ? .object : .array, length: 0, offset: open).bits)
        open = length &- 1
        if isObject {
            append(0)
            keys = KeySet()
        }
        isInObject = isObject
        items = Self.justOpened
        at &+= 1
    }

    /// Notes in the entry what has been found of an array or object, because another one begins in it.
    @inline(__always)
    private mutating func suspend() {
        let entry = Entry(bits: tape[open])
        let flags = keys.isIrregular && isInObject ? Entry.irregular : 0
        tape[open] = Entry(isInObject ? .object : .array, flags: flags, length: items, offset: entry.offset).bits
        if isInObject { tape[open &+ 1] = keys.seen }
    }

    @inline(__always)
    private mutating func close() {
        let outer = Entry(bits: tape[open]).offset
        let flags = keys.isIrregular && isInObject ? Entry.irregular : 0
        tape[open] = Entry(isInObject ? .object : .array, flags: flags, length: items, offset: length).bits
        if isInObject { tape[open &+ 1] = UInt64(truncatingIfNeeded: open &+ 2) }
        open = outer
        depth &-= 1
        guard outer != Self.none else { return }
        let entry = Entry(bits: tape[outer])
        isInObject = entry.is(.object)
        items = entry.count
        if isInObject { keys = KeySet(seen: tape[outer &+ 1], isIrregular: entry.has(Entry.irregular)) }
    }

    @inline(__always)
    private mutating func scanKey(_ byte: UInt8) throws(Malformed) {
        guard byte == UInt8(ascii: "\"") else { throw unexpected("a key") }
        if capacity &- length < 4 { grow() }
        let key = try scanString()
        keys.insert(key, bytes: bytes, count: items, tape: tape, first: open &+ 2, end: length)
        append(key.bits)
        guard skipSpace() == UInt8(ascii: ":") else { throw unexpected("':'") }
        at &+= 1
    }

    // MARK: - Values

    @inline(__always)
    private mutating func scanWord(_ word: StaticString, _ kind: Entry.Kind) throws(Malformed) {
        // What is behind the end is zero, and no word has that.
        let isWord = Words.isEqual(bytes + at, word.utf8Start, word.utf8CodeUnitCount)
        guard isWord else { throw unexpected("'\(word)'") }
        append(Entry(kind, length: word.utf8CodeUnitCount, offset: at).bits)
        at &+= word.utf8CodeUnitCount
    }

    /// Everything that numbers are made of, in any order.
    @inline(__always)
    private mutating func scanNumber() {
        let start = at
        var flags = Entry.digits
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
        append(Entry(.number, flags: flags, length: at &- start, offset: start).bits)
    }

    /// At an opening quote; behind the closing one afterwards.
    @inline(__always)
    private mutating func scanString() throws(Malformed) -> Entry {
        let start = at &+ 1
        var place = start
        var seen: UInt64 = 0
        // Zeros behind the end stop it.
        while true {
            let word = Words.load(bytes + place)
            let special = Words.special(word)
            if special == 0 {
                seen |= word
                place &+= 8
                continue
            }
            let count = special.trailingZeroBitCount &>> 3
            seen |= word & Words.mask(count)
            place &+= count
            break
        }
        guard bytes[place] == UInt8(ascii: "\"") else { return try scanOddString(start, place, seen) }
        at = place &+ 1
        let flags = Entry.simple | (seen & Words.highs == 0 ? Entry.ascii : 0)
        return Entry(.string, flags: flags, length: place &- start, offset: start)
    }

    /// From the first backslash or control character on.
    @inline(never)
    private mutating func scanOddString(_ start: Int, _ from: Int, _ seenBefore: UInt64) throws(Malformed) -> Entry {
        var place = from
        var seen = seenBefore
        var controls: UInt64 = 0
        while place < count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                at = place &+ 1
                let flags = controls | (seen & Words.highs == 0 ? Entry.ascii : 0)
                return Entry(.string, flags: flags, length: place &- start, offset: start)
            case UInt8(ascii: "\\"):
                let escaped = bytes[place &+ 1]
                if escaped == UInt8(ascii: "u") {
                    for digit in 2..<6 where place &+ digit >= count || bytes[place &+ digit] == UInt8(ascii: "\"") {
                        throw Malformed(reason: "expected four hexadecimal digits behind \\u", offset: place)
                    }
                    seen |= Words.load(bytes + place) & Words.mask(6)
                    place &+= 6
                } else {
                    seen |= UInt64(escaped)
                    place &+= 2
                }
            case ..<0x20:
                controls = Entry.controls
                place &+= 1
            default:
                var word = Words.load(bytes + place)
                var special = Words.special(word)
                while special == 0 {
                    seen |= word
                    place &+= 8
                    word = Words.load(bytes + place)
                    special = Words.special(word)
                }
                let count = special.trailingZeroBitCount &>> 3
                seen |= word & Words.mask(count)
                place &+= count
            }
        }
        throw Malformed(reason: "expected the end of the string that begins here", offset: start)
    }

    // MARK: - Text and index

    @inline(__always)
    private mutating func skipSpace() -> UInt8 {
        while true {
            let byte = bytes[at]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            at &+= 1
        }
    }

    @inline(__always)
    private mutating func append(_ word: UInt64) {
        tape[length] = word
        length &+= 1
    }

    @inline(never)
    private mutating func grow() {
        let expected = length * count / max(at, 1)
        let larger = max(capacity * 2, expected + expected / 8)
        let copy = UnsafeMutablePointer<UInt64>.allocate(capacity: larger)
        copy.update(from: tape, count: length)
        if hasGrown { tape.deallocate() }
        hasGrown = true
        tape = copy
        capacity = larger
    }

    @inline(never)
    private func unexpected(_ expected: String) -> Malformed {
        guard at < count else { return Malformed(reason: "expected \(expected), found the end", offset: count) }
        let byte = bytes[at]
        let found = byte > 0x20 && byte < 0x7F ? "'\(Character(Unicode.Scalar(byte)))'" : "byte \(byte)"
        return Malformed(reason: "expected \(expected), found \(found)", offset: at)
    }
}
