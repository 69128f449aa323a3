/// Strings of a document (RFC 8259 §7).
extension Document {
    /// The bytes of a string or a number.
    @inline(__always)
    func text(_ entry: TapeEntry) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + entry.offset, count: entry.length)
    }

    /// As ``Scalar/read(_:_:)``.
    @inline(__always)
    func string(_ index: Int) throws -> String? {
        let entry = entry(index)
        guard entry.is(.string) else { return nil }
        guard entry.has(TapeEntry.simple) else { return try unescaped(entry) }
        guard let string = UTF8Text.string(text(entry), isASCII: entry.has(TapeEntry.ascii)) else { throw noUTF8(entry) }
        return string
    }

    @inline(never)
    private func unescaped(_ entry: TapeEntry) throws -> String {
        // Each escape stands for a whole scalar, so it is enough to validate the source.
        let isASCII = entry.has(TapeEntry.ascii)
        guard isASCII || UTF8Text.isValid(text(entry)) else { throw noUTF8(entry) }
        // Unescaping never makes a string longer.
        return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: entry.length + Unescaping.excess) { buffer in
            guard let output = buffer.baseAddress else { return "" }
            var unescaping = Unescaping(bytes: bytes, end: entry.offset + entry.length, output: output, offset: entry.offset)
            if entry.has(TapeEntry.controls) { try unescaping.rejectControl() }
            try unescaping.write()
            let text = UnsafeBufferPointer(start: UnsafePointer(output), count: unescaping.written)
            return UTF8Text.string(valid: text, isASCII: isASCII && unescaping.isASCII)
        }
    }

    @inline(never)
    private func noUTF8(_ entry: TapeEntry) -> JSONSyntaxError {
        JSONSyntaxError(reason: "expected UTF-8, found invalid bytes in the string", offset: entry.offset)
    }
}

/// Writes the value of a string that has escapes.
private struct Unescaping {
    /// Bytes beyond the value that may be written, because whole words are copied.
    static let excess = 2 * SWAR.size

    let bytes: UnsafePointer<UInt8>
    let end: Int
    /// Has room for the string's length and ``excess``.
    let output: UnsafeMutablePointer<UInt8>
    var offset: Int
    private(set) var written = 0
    /// Whether all escapes so far stood for ASCII.
    private(set) var isASCII = true

    @inline(never)
    func rejectControl() throws(JSONSyntaxError) {
        for offset in offset..<end where bytes[offset] < 0x20 {
            throw JSONSyntaxError(
                reason: "expected no control character in a string, found byte \(bytes[offset])", offset: offset)
        }
    }

    mutating func write() throws(JSONSyntaxError) {
        while true {
            let plain = copyPlain(from: UnsafeRawPointer(bytes + offset), to: UnsafeMutableRawPointer(output + written))
            offset &+= plain
            written &+= plain
            if offset >= end { return }
            try writeEscape()
        }
    }

    /// Copies the bytes before the next backslash or the end, and returns their number.
    @inline(__always)
    private func copyPlain(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) -> Int {
        let count = end &- offset
        var offset = 0
        // The last words may reach beyond the string: padding follows every text.
        while offset < count {
            let word = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let next = source.loadUnaligned(fromByteOffset: offset &+ SWAR.size, as: UInt64.self)
            target.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            target.storeBytes(of: next, toByteOffset: offset &+ SWAR.size, as: UInt64.self)
            let found = SWAR.find(UInt64(UInt8(ascii: "\\")), in: UInt64(littleEndian: word))
            if found != 0 { return min(offset &+ SWAR.index(found), count) }
            let foundNext = SWAR.find(UInt64(UInt8(ascii: "\\")), in: UInt64(littleEndian: next))
            if foundNext != 0 { return min(offset &+ SWAR.size &+ SWAR.index(foundNext), count) }
            offset &+= 2 * SWAR.size
        }
        return count
    }

    @inline(__always)
    private mutating func writeEscape() throws(JSONSyntaxError) {
        let escaped = bytes[offset &+ 1]
        switch escaped {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): write(escaped)
        case UInt8(ascii: "b"): write(0x08)
        case UInt8(ascii: "f"): write(0x0C)
        case UInt8(ascii: "n"): write(0x0A)
        case UInt8(ascii: "r"): write(0x0D)
        case UInt8(ascii: "t"): write(0x09)
        case UInt8(ascii: "u"): return try writeScalar()
        default:
            throw JSONSyntaxError(reason: "expected one of \"\\/bfnrtu after a backslash, found byte \(escaped)", offset: offset)
        }
        offset &+= 2
    }

    @inline(__always)
    private mutating func write(_ byte: UInt8) {
        output[written] = byte
        written &+= 1
    }

    @inline(__always)
    private mutating func writeScalar() throws(JSONSyntaxError) {
        var value = try unit(offset)
        if value & 0xFC00 == 0xD800 {
            let hasSecond =
                offset &+ 12 <= end && bytes[offset &+ 6] == UInt8(ascii: "\\") && bytes[offset &+ 7] == UInt8(ascii: "u")
            let low = hasSecond ? try unit(offset &+ 6) : 0
            guard low & 0xFC00 == 0xDC00 else {
                throw JSONSyntaxError(reason: "expected the second half of a surrogate pair after the first", offset: offset)
            }
            value = 0x10000 &+ (value &- 0xD800) &<< 10 &+ (low &- 0xDC00)
            offset &+= 6
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw JSONSyntaxError(reason: "expected a scalar, found the second half of a surrogate pair alone", offset: offset)
        }
        if value >= 0x80 { isASCII = false }
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { write(byte) }
        offset &+= 6
    }

    /// The value of the escape at an offset. The scanner has checked that four characters follow.
    private func unit(_ offset: Int) throws(JSONSyntaxError) -> UInt32 {
        var unit: UInt32 = 0
        for index in 2..<6 {
            let byte = bytes[offset &+ index]
            let (digit, letter) = (byte &- UInt8(ascii: "0"), (byte | 0x20) &- UInt8(ascii: "a"))
            guard digit < 10 || letter < 6 else {
                throw JSONSyntaxError(reason: "expected four hexadecimal digits after \\u", offset: offset)
            }
            unit = unit &<< 4 | UInt32(digit < 10 ? digit : letter &+ 10)
        }
        return unit
    }
}
