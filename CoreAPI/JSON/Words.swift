/// Eight bytes at once, the first in the lowest bits.
enum Words {
    static let size = 8
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highs: UInt64 = 0x8080_8080_8080_8080

    @inline(__always)
    static func load(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
    }

    /// The high bit of the first byte that ends a plain stretch of a string – a quote, a backslash or a control character – is set, and
    /// none before it; bits behind it mean nothing.
    @inline(__always)
    static func special(_ word: UInt64) -> UInt64 {
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let isQuote = (quote &- ones) & ~quote
        let isBackslash = (backslash &- ones) & ~backslash
        let isControl = (word &- ones &* 0x20) & ~word
        return (isQuote | isBackslash | isControl) & highs
    }

    /// The bits of the first `count` bytes; `count` is less than eight.
    @inline(__always)
    static func mask(_ count: Int) -> UInt64 {
        (1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1
    }

    @inline(__always)
    static func isEqual(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        var place = 0
        while place &+ 8 <= count {
            guard load(left + place) == load(right + place) else { return false }
            place &+= 8
        }
        while place < count {
            guard left[place] == right[place] else { return false }
            place &+= 1
        }
        return true
    }
}
