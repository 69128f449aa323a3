/// Finds the values of a document in one pass and records them in a tape (``TapeEntry``).
///
/// Checks as much as Foundation's scanner: the structure, literals and the ends of strings. Numbers and the contents of strings
/// are checked when they are decoded, so an error in a value that is never decoded goes unnoticed.
struct Scanner {
    private static let depthLimit = 512
    private let text: TokenScanner
    private let takesTrailingCommas: Bool
    private(set) var tape: UnsafeMutablePointer<UInt64>
    private var capacity: Int
    private var length = 0
    private var at = 0
    /// Index of the innermost open container. Its entry holds the index of the enclosing one.
    private var open = TapeEntry.none
    private var depth = 0
    private var isInObject = false
    /// Items or members of the innermost container so far.
    private var items = 0
    private var keys = KeySet()
    /// The predicted keys of the innermost object. While they match, ``keys`` is empty.
    private var pattern = KeyPattern()
    /// Predicts the keys of an object without a pattern: the last closed object, or the first item of a similar array.
    private var fallback = TapeEntry.none

    /// Whether ``tape`` was allocated here. The caller then owns it, even after an error.
    private(set) var hasGrown = false

    /// - Parameters:
    ///   - tape: memory of `capacity` words, owned by the caller.
    ///   - takesTrailingCommas: whether a comma may follow the last item.
    init(
        bytes: UnsafePointer<UInt8>, count: Int, tape: UnsafeMutablePointer<UInt64>, capacity: Int, takesTrailingCommas: Bool
    ) {
        text = TokenScanner(bytes: bytes, count: count)
        self.takesTrailingCommas = takesTrailingCommas
        self.tape = tape
        self.capacity = capacity
    }

    /// Writes the tape.
    mutating func scan() throws(JSONSyntaxError) {
        append(TapeEntry(.null, length: 0, offset: 0).bits)
        let byte = text.skipSpace(&at)
        if let entry = try text.scalar(byte, &at) { append(entry.bits) } else { try enter(byte, TapeEntry.none) }
        while open != TapeEntry.none {
            if isInObject { try scanMembers() } else { try scanItems() }
        }
        _ = text.skipSpace(&at)
        guard at == text.count else { throw text.unexpected("nothing after the value", at) }
    }

    // MARK: - Arrays and objects

    // These two keep the state in local variables, and so in registers. Between two containers it is in the scanner.

    /// Scans to the end of the innermost object, or into a nested container.
    private mutating func scanMembers() throws(JSONSyntaxError) {
        var (at, length, items, keys, pattern) = (at, length, items, keys, pattern)
        var byte = text.skipSpace(&at)
        if items > 0 { byte = try text.skipComma(byte, "',' or '}'", &at, UInt8(ascii: "}")) }
        while byte != UInt8(ascii: "}") {
            guard byte == UInt8(ascii: "\"") else { throw text.unexpected("a key", at) }
            if capacity &- length < Self.room { makeRoom(length, at) }
            items &+= 1
            var value = TapeEntry.none
            if let key = pattern.key(at: at &+ 1, text.bytes, tape) {
                value = pattern.value
                tape[length] = key.bits
                at &+= key.length &+ 2
            } else {
                let key = try text.string(from: at &+ 1)
                if pattern.isFollowed {
                    keys = KeySet(of: open, bytes: text.bytes, tape: tape, end: length)
                    pattern = KeyPattern()
                }
                keys.insert(key, bytes: text.bytes, count: items, tape: tape, first: open &+ 2, end: length)
                tape[length] = key.bits
                at = key.offset &+ key.length &+ 1
            }
            length &+= 1
            guard text.skipSpace(&at) == UInt8(ascii: ":") else { throw text.unexpected("':'", at) }
            at &+= 1
            byte = text.skipSpace(&at)
            guard let entry = try text.scalar(byte, &at) else {
                (self.at, self.length, self.items, self.keys, self.pattern) = (at, length, items, keys, pattern)
                return try enter(byte, value)
            }
            tape[length] = entry.bits
            length &+= 1
            byte = try text.skipComma(text.skipSpace(&at), "',' or '}'", &at, UInt8(ascii: "}"))
        }
        (self.at, self.length, self.items, self.keys) = (at &+ 1, length, items, keys)
        try close()
    }

    /// Scans to the end of the innermost array, or into a nested container.
    private mutating func scanItems() throws(JSONSyntaxError) {
        var (at, length, items) = (at, length, items)
        var byte = text.skipSpace(&at)
        if items > 0 { byte = try text.skipComma(byte, "',' or ']'", &at, UInt8(ascii: "]")) }
        while byte != UInt8(ascii: "]") {
            if capacity &- length < Self.room { makeRoom(length, at) }
            items &+= 1
            guard let entry = try text.scalar(byte, &at) else {
                (self.at, self.length, self.items) = (at, length, items)
                return try enter(byte, TapeEntry.none)
            }
            tape[length] = entry.bits
            length &+= 1
            byte = try text.skipComma(text.skipSpace(&at), "',' or ']'", &at, UInt8(ascii: "]"))
        }
        (self.at, self.length, self.items) = (at &+ 1, length, items)
        try close()
    }

    /// Only white space and a comma may stand between the last item and the bracket that closes the container.
    private func rejectComma() throws(JSONSyntaxError) {
        var offset = at - 2
        while text.bytes[offset] <= 0x20 { offset -= 1 }
        guard text.bytes[offset] != UInt8(ascii: ",") else {
            throw JSONSyntaxError(reason: "expected no comma after the last item", offset: offset)
        }
    }

    /// - Parameter likeness: the index of a value in an earlier object that had the same role there, or ``TapeEntry/none``.
    private mutating func enter(_ byte: UInt8, _ likeness: Int) throws(JSONSyntaxError) {
        guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else { throw text.unexpected("a value", at) }
        guard depth < Self.depthLimit else {
            throw JSONSyntaxError(reason: "expected at most \(Self.depthLimit) levels of arrays and objects", offset: at)
        }
        depth &+= 1
        if open != TapeEntry.none { suspend() }
        isInObject = byte == UInt8(ascii: "{")
        append(TapeEntry(isInObject ? .object : .array, length: 0, offset: open).bits)
        open = length &- 1
        if isInObject {
            append(0)
            keys = KeySet()
            pattern = KeyPattern(of: likeness == TapeEntry.none ? fallback : likeness, in: tape)
        } else if likeness != TapeEntry.none {
            let other = TapeEntry(bits: tape[likeness])
            if other.is(.array), other.count > 0 { fallback = likeness &+ 1 }
        }
        items = 0
        at &+= 1
    }

    /// Stores the state of the innermost container in its entry, because a nested one begins.
    @inline(__always)
    private mutating func suspend() {
        let outer = TapeEntry(bits: tape[open]).offset
        guard isInObject else { return tape[open] = TapeEntry(.array, length: items, offset: outer).bits }
        let flags = (keys.isIrregular ? TapeEntry.irregular : 0) | (pattern.isFollowed ? TapeEntry.follows : 0)
        tape[open] = TapeEntry(.object, flags: flags, length: items, offset: outer).bits
        tape[open &+ 1] = pattern.isFollowed ? pattern.bits : keys.seen
    }

    @inline(__always)
    private mutating func close() throws(JSONSyntaxError) {
        if !takesTrailingCommas { try rejectComma() }
        let outer = TapeEntry(bits: tape[open]).offset
        if isInObject {
            tape[open] = TapeEntry(.object, flags: keys.isIrregular ? TapeEntry.irregular : 0, length: items, offset: length).bits
            tape[open &+ 1] = UInt64(truncatingIfNeeded: open &+ 2)
            if !keys.isIrregular { fallback = open }
        } else {
            tape[open] = TapeEntry(.array, length: items, offset: length).bits
        }
        open = outer
        depth &-= 1
        guard outer != TapeEntry.none else { return }
        let entry = TapeEntry(bits: tape[outer])
        isInObject = entry.is(.object)
        items = entry.count
        guard isInObject else { return }
        let follows = entry.has(TapeEntry.follows)
        pattern = follows ? KeyPattern(bits: tape[outer &+ 1]) : KeyPattern()
        keys = follows ? KeySet() : KeySet(seen: tape[outer &+ 1], isIrregular: entry.has(TapeEntry.irregular))
    }

    // MARK: - Tape

    @inline(__always)
    private mutating func append(_ word: UInt64) {
        assert(length < capacity)
        tape[length] = word
        length &+= 1
    }

    /// The most words that one member takes: its key, and an object with its second word.
    private static let room = 3

    @inline(never)
    private mutating func makeRoom(_ length: Int, _ at: Int) {
        let expected = length * text.count / max(at, 1)
        let larger = max(capacity * 2, expected + expected / 8)
        let copy = UnsafeMutablePointer<UInt64>.allocate(capacity: larger)
        copy.update(from: tape, count: length)
        if hasGrown { tape.deallocate() }
        hasGrown = true
        tape = copy
        capacity = larger
    }
}
