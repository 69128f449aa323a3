/// Writes the value of a string that has escapes.
struct Unescaping {
    /// Bytes beyond the value that may be written, because whole words are copied.
    static let excess = 2 * SWAR.size

    private let bytes: UnsafePointer<UInt8>
    private let end: Int
    private let start: Int
    private let hasControls: Bool
    /// Whether all escapes so far stood for ASCII.
    private(set) var isASCII = true

    init(bytes: UnsafePointer<UInt8>, from start: Int, to end: Int, hasControls: Bool) {
        self.bytes = bytes
        self.start = start
        self.end = end
        self.hasControls = hasControls
    }

    /// - Parameter output: has room for the string's length and ``excess``.
    /// - Returns: how many bytes were written.
    mutating func write(to output: UnsafeMutablePointer<UInt8>) throws(JSONSyntaxError) -> Int {
        if hasControls { try findControl() }
        var offset = start
        var written = 0
        while true {
            let plain = copyPlain(from: offset, to: output + written)
            offset &+= plain
            written &+= plain
            if offset >= end { return written }
            try writeEscape(&offset, output, &written)
        }
    }

    /// Copies the bytes before the next backslash or the end.
    ///
    /// - Returns: their number.
    @inline(__always)
    private func copyPlain(from start: Int, to output: UnsafeMutablePointer<UInt8>) -> Int {
        let source = UnsafeRawPointer(bytes + start)
        let count = end &- start
        var offset = 0
        // The last words may reach beyond the string: padding follows every text.
        while offset < count {
            let word = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let next = source.loadUnaligned(fromByteOffset: offset &+ SWAR.size, as: UInt64.self)
            UnsafeMutableRawPointer(output).storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            UnsafeMutableRawPointer(output).storeBytes(of: next, toByteOffset: offset &+ SWAR.size, as: UInt64.self)
            let found = SWAR.backslash(UInt64(littleEndian: word))
            if found != 0 { return min(offset &+ found.trailingZeroBitCount &>> 3, count) }
            let foundNext = SWAR.backslash(UInt64(littleEndian: next))
            if foundNext != 0 { return min(offset &+ SWAR.size &+ foundNext.trailingZeroBitCount &>> 3, count) }
            offset &+= 2 * SWAR.size
        }
        return count
    }

    @inline(never)
    private func findControl() throws(JSONSyntaxError) {
        for offset in start..<end where bytes[offset] < 0x20 {
            throw JSONSyntaxError(
                reason: "expected no control character in a string, found byte \(bytes[offset])", offset: offset)
        }
    }

    @inline(__always)
    private mutating func writeEscape(
        _ offset: inout Int, _ output: UnsafeMutablePointer<UInt8>, _ written: inout Int
    ) throws(JSONSyntaxError) {
        let escaped = bytes[offset &+ 1]
        let byte: UInt8
        switch escaped {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte = escaped
        case UInt8(ascii: "b"): byte = 0x08
        case UInt8(ascii: "f"): byte = 0x0C
        case UInt8(ascii: "n"): byte = 0x0A
        case UInt8(ascii: "r"): byte = 0x0D
        case UInt8(ascii: "t"): byte = 0x09
        case UInt8(ascii: "u"): return try writeScalar(&offset, output, &written)
        default:
            throw JSONSyntaxError(reason: "expected one of \"\\/bfnrtu after a backslash, found byte \(escaped)", offset: offset)
        }
        output[written] = byte
        written &+= 1
        offset &+= 2
    }

    private mutating func writeScalar(
        _ offset: inout Int, _ output: UnsafeMutablePointer<UInt8>, _ written: inout Int
    ) throws(JSONSyntaxError) {
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
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            output[written] = byte
            written &+= 1
        }
        offset &+= 6
    }

    /// The value of the escape at an offset. The scanner has checked that four characters follow.
    private func unit(_ offset: Int) throws(JSONSyntaxError) -> UInt32 {
        var unit: UInt32 = 0
        for index in 2..<6 {
            let byte = bytes[offset &+ index]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- UInt8(ascii: "A") &+ 10
            default: throw JSONSyntaxError(reason: "expected four hexadecimal digits after \\u", offset: offset)
            }
            unit = unit &<< 4 | UInt32(digit)
        }
        return unit
    }
}
