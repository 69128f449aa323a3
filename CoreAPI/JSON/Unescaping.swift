/// Writes the value of a string with escapes in it.
struct Unescaping {
    private let bytes: UnsafePointer<UInt8>
    private let end: Int
    private let start: Int

    init(bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) {
        self.bytes = bytes
        self.start = start
        self.end = end
    }

    /// - Parameter output: as many bytes as there are, and eight more.
    /// - Returns: how many bytes were written.
    func write(to output: UnsafeMutablePointer<UInt8>) throws(Malformed) -> Int {
        var place = start
        var written = 0
        while true {
            let word = Words.load(bytes + place)
            let special = Words.special(word)
            UnsafeMutableRawPointer(output + written).storeBytes(of: word.littleEndian, as: UInt64.self)
            // Behind the end lies a quote, which is special.
            if special == 0 {
                place &+= 8
                written &+= 8
                continue
            }
            let plain = special.trailingZeroBitCount &>> 3
            place &+= plain
            written &+= plain
            if place >= end { return written }
            guard bytes[place] == UInt8(ascii: "\\") else {
                throw Malformed(reason: "expected no control character in a string, found byte \(bytes[place])", offset: place)
            }
            try writeEscape(&place, output, &written)
        }
    }

    private func writeEscape(
        _ place: inout Int, _ output: UnsafeMutablePointer<UInt8>, _ written: inout Int
    ) throws(Malformed) {
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
        default: throw Malformed(reason: "expected one of \"\\/bfnrtu behind a backslash, found byte \(escaped)", offset: place)
        }
        output[written] = byte
        written &+= 1
        place &+= 2
    }

    private func writeScalar(
        _ place: inout Int, _ output: UnsafeMutablePointer<UInt8>, _ written: inout Int
    ) throws(Malformed) {
        var value = try unit(place)
        if value & 0xFC00 == 0xD800 {
            let hasSecond =
                place &+ 12 <= end && bytes[place &+ 6] == UInt8(ascii: "\\") && bytes[place &+ 7] == UInt8(ascii: "u")
            let low = hasSecond ? try unit(place &+ 6) : 0
            guard low & 0xFC00 == 0xDC00 else {
                throw Malformed(reason: "expected the second half of a surrogate pair behind the first", offset: place)
            }
            value = 0x10000 &+ (value &- 0xD800) &<< 10 &+ (low &- 0xDC00)
            place &+= 6
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw Malformed(reason: "expected a scalar, found the second half of a surrogate pair alone", offset: place)
        }
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            output[written] = byte
            written &+= 1
        }
        place &+= 6
    }

    /// The four digits of the escape at `place`; the scanner has seen that they are there.
    private func unit(_ place: Int) throws(Malformed) -> UInt32 {
        var unit: UInt32 = 0
        for index in 2..<6 {
            let byte = bytes[place &+ index]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- UInt8(ascii: "A") &+ 10
            default: throw Malformed(reason: "expected four hexadecimal digits behind \\u", offset: place)
            }
            unit = unit &<< 4 | UInt32(digit)
        }
        return unit
    }
}
