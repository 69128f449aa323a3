/// Checks UTF-8 that arrives in pieces, and rejects the first invalid byte (RFC 3629 §4).
struct UTF8Check {
    /// The number of continuation bytes that must follow.
    private var missing = 0
    /// The allowed values of the next continuation byte.
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the last character is complete.
    var isComplete: Bool { missing == 0 }

    /// - Returns: whether the bytes so far are valid, apart from an incomplete last character.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                index = endOfASCII(bytes, from: index)
                guard index < bytes.count else { return true }
                guard begin(bytes[index]) else { return false }
            } else {
                guard allowed.contains(bytes[index]) else { return false }
                missing -= 1
                allowed = 0x80...0xBF
            }
            index += 1
        }
        return true
    }

    /// Eight bytes at a time: most texts are ASCII.
    private func endOfASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index + 8 <= bytes.count,
            bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            index += 8
        }
        while index < bytes.count, bytes[index] < 0x80 { index += 1 }
        return index
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, allowed) = (2, 0xA0...0xBF)
        case 0xE1...0xEC, 0xEE, 0xEF: missing = 2
        // Excludes surrogates.
        case 0xED: (missing, allowed) = (2, 0x80...0x9F)
        case 0xF0: (missing, allowed) = (3, 0x90...0xBF)
        case 0xF1...0xF3: missing = 3
        // Excludes values above U+10FFFF.
        case 0xF4: (missing, allowed) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }
}
