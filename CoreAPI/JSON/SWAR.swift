/// Eight bytes as one word ("SIMD within a register"), or four; the first byte is in the lowest bits.
enum SWAR {
    static let size = 8
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highs: UInt64 = 0x8080_8080_8080_8080

    @inline(__always)
    static func load(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
    }

    /// Four bytes as one word.
    @inline(__always)
    static func half(_ bytes: UnsafePointer<UInt8>) -> UInt32 {
        UInt32(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self))
    }

    /// Sets the high bit of the first quote, backslash or control byte. Bits after it are undefined.
    @inline(__always)
    static func special(_ word: UInt64) -> UInt64 {
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let isQuote = (quote &- ones) & ~quote
        let isBackslash = (backslash &- ones) & ~backslash
        let isControl = (word &- ones &* 0x20) & ~word
        return (isQuote | isBackslash | isControl) & highs
    }

    /// The same for backslashes.
    @inline(__always)
    static func backslash(_ word: UInt64) -> UInt64 {
        let backslash = word ^ (ones &* 0x5C)
        return (backslash &- ones) & ~backslash & highs
    }

    /// The same for slashes.
    @inline(__always)
    static func slash(_ word: UInt64) -> UInt64 {
        let slash = word ^ (ones &* 0x2F)
        return (slash &- ones) & ~slash & highs
    }

    /// The bits of the first `count` bytes; `count` is less than eight.
    @inline(__always)
    static func mask(_ count: Int) -> UInt64 {
        (1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1
    }

    /// Reads no more than `count` bytes of each: the last word overlaps the one before.
    @inline(__always)
    static func isEqual(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        if count >= 8 {
            var offset = 0
            while offset &+ 8 < count {
                guard isEqual(left, right, at: offset, as: UInt64.self) else { return false }
                offset &+= 8
            }
            return isEqual(left, right, at: count &- 8, as: UInt64.self)
        }
        if count >= 4 {
            return isEqual(left, right, at: 0, as: UInt32.self) && isEqual(left, right, at: count &- 4, as: UInt32.self)
        }
        if count >= 2 {
            return isEqual(left, right, at: 0, as: UInt16.self) && isEqual(left, right, at: count &- 2, as: UInt16.self)
        }
        return count == 0 || left.pointee == right.pointee
    }

    @inline(__always)
    private static func isEqual<Word: FixedWidthInteger & BitwiseCopyable>(
        _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, at offset: Int, as type: Word.Type
    ) -> Bool {
        UnsafeRawPointer(left + offset).loadUnaligned(as: Word.self)
            == UnsafeRawPointer(right + offset).loadUnaligned(as: Word.self)
    }
}
