/// Writes the value of a string with escapes in it.
struct Unescaping {
    /// Bytes behind a value that are written to before it is known that it ends there.
    static let excess = 2 * SWAR.size

    private let bytes: UnsafePointer<UInt8>
    private let end: Int
    private let start: Int
    private let hasControls: Bool
    /// Whether every scalar that was written for an escape is ASCII.
    private(set) var isASCII = true

    init(bytes: UnsafePointer<UInt8>, from start: Int, to end: Int, hasControls: Bool) {
        self.bytes = bytes
        self.start = start
        self.end = end
        self.hasControls = hasControls
    }

    /// - Parameter output: as many bytes as there are, and ``excess`` more.
    /// - Returns: how many bytes were written.
    mutating func write(to output: UnsafeMutablePointer<UInt8>) throws(JSONSyntaxError) -> Int {
        if hasControls { try findControl() }
        var place = start
        var written = 0
        while true {
            let plain = copyPlain(from: place, to: output + written)
            place &+= plain
            written &+= plain
            if place >= end { return written }
            try writeEscape(&place, output, &written)
        }
    }

    /// - Returns: how many bytes there are before the next backslash or the end.
    @inline(__always)
    private func copyPlain(from start: Int, to output: UnsafeMutablePointer<UInt8>) -> Int {
        let source = UnsafeRawPointer(bytes + start)
        let count = end &- start
        var place = 0
        // SWAR that begin in the string may end behind it; what is behind a text can be read.
        while place < count {
            let word = source.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let next = source.loadUnaligned(fromByteOffset: place &+ SWAR.size, as: UInt64.self)
            UnsafeMutableRawPointer(output).storeBytes(of: word, toByteOffset: place, as: UInt64.self)
            UnsafeMutableRawPointer(output).storeBytes(of: next, toByteOffset: place &+ SWAR.size, as: UInt64.self)
            let found = SWAR.backslash(UInt64(littleEndian: word))
            if found != 0 { return min(place &+ found.trailingZeroBitCount &>> 3, count) }
            let foundNext = SWAR.backslash(UInt64(littleEndian: next))
            if foundNext != 0 { return min(place &+ SWAR.size &+ foundNext.trailingZeroBitCount &>> 3, count) }
            place &+= 2 * SWAR.size
        }
        return count
    }

    @inline(never)
    private func findControl() throws(JSONSyntaxError) {
        for place in start..<end where bytes[place] < 0x20 {
            throw JSONSyntaxError(reason: "expected no control character in a string, found byte \(bytes[place])", offset: place)
        }
    }

    @inline(__always)
    private mutating func writeEscape(
        _ place: inout Int, _ output: UnsafeMutablePointer<UInt8>, _ written: inout Int
    ) throws(JSONSyntaxError) {
        let escaped = bytes[place &+ 1]
        let byte: UInt8
        switch escaped {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte = escaped
        case UInt8(ascii: "b"): byte = 0x08
        case UInt8(ascii: "f"): byte = 0x0C
        case UInt8(ascii: "n"): byte = 0x0A
        case UInt8(ascii: "r"): byte = 0x0D
        case UInt8(ascii: "t"): byte = 0x09
        case UInt8(ascii: "u"): return try writeScalar(&place, output, &written)
        default:
            throw JSONSyntaxError(reason: "expected one of \"\\/bfnrtu behind a backslash, found byte \(escaped)", offset: place)
        }
        output[written] = byte
        written &+= 1
        place &+= 2
    }

    private mutating func writeScalar(
        _ place: inout Int, _ output: UnsafeMutablePointer<UInt8>, _ written: inout Int
    ) throws(JSONSyntaxError) {
        var value = try unit(place)
        if value & 0xFC00 == 0xD800 {
            let hasSecond =
                place &+ 12 <= end && bytes[place &+ 6] == UInt8(ascii: "\\") && bytes[place &+ 7] == UInt8(ascii: "u")
            let low = hasSecond ? try unit(place &+ 6) : 0
            guard low & 0xFC00 == 0xDC00 else {
                throw JSONSyntaxError(reason: "expected the second half of a surrogate pair behind the first", offset: place)
            }
            value = 0x10000 &+ (value &- 0xD800) &<< 10 &+ (low &- 0xDC00)
            place &+= 6
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw JSONSyntaxError(reason: "expected a scalar, found the second half of a surrogate pair alone", offset: place)
        }
        if value >= 0x80 { isASCII = false }
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            output[written] = byte
            written &+= 1
        }
        place &+= 6
    }

    /// The four digits of the escape at `place`; the scanner has seen that they are there.
    private func unit(_ place: Int) throws(JSONSyntaxError) -> UInt32 {
        var unit: UInt32 = 0
        for index in 2..<6 {
            let byte = bytes[place &+ index]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- UInt8(ascii: "A") &+ 10
            default: throw JSONSyntaxError(reason: "expected four hexadecimal digits behind \\u", offset: place)
            }
            unit = unit &<< 4 | UInt32(digit)
        }
        return unit
    }
}
