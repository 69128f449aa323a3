/// Eight bytes as one word ("SIMD within a register"), or four; the first byte is in the lowest bits.
enum SWAR {
    static let size = 8
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highs: UInt64 = 0x8080_8080_8080_8080

    @inline(__always)
    static func load(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
    }

    @inline(__always)
    static func half(_ bytes: UnsafePointer<UInt8>) -> UInt32 {
        UInt32(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self))
    }

    /// Sets the high bit of the first quote, backslash or control byte. Bits after it are undefined.
    @inline(__always)
    static func special(_ word: UInt64) -> UInt64 {
        find(0x22, in: word) | find(0x5C, in: word) | (word &- ones &* 0x20) & ~word & highs
    }

    /// The same for one byte.
    @inline(__always)
    static func find(_ byte: UInt64, in word: UInt64) -> UInt64 {
        let difference = word ^ (ones &* byte)
        return (difference &- ones) & ~difference & highs
    }

    /// The index of the byte whose high bit is the first that is set.
    @inline(__always)
    static func index(_ highs: UInt64) -> Int { highs.trailingZeroBitCount &>> 3 }

    /// The bits of the first `count` bytes; `count` is less than eight.
    @inline(__always)
    static func mask(_ count: Int) -> UInt64 { (1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1 }

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
