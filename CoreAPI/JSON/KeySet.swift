/// The keys of one object while it is scanned: whether they can be compared byte by byte, and all differ.
struct KeySet {
    /// One bit for each key's hash. A key whose bit is already set is compared with the keys before.
    private(set) var seen: UInt64 = 0
    private(set) var isIrregular = false

    /// An object with more members gets a dictionary when it is decoded.
    static let limit = 32

    init() {}

    init(seen: UInt64, isIrregular: Bool) {
        self.seen = seen
        self.isIrregular = isIrregular
    }

    /// The keys of an object that is still being scanned; they are known to be regular.
    ///
    /// - Parameter end: the index after its last value.
    @inline(never)
    init(of object: Int, bytes: UnsafePointer<UInt8>, tape: UnsafeMutablePointer<UInt64>, end: Int) {
        var index = object &+ 2
        while index < end {
            seen |= Self.bit(TapeEntry(bits: tape[index]), bytes)
            index = TapeEntry(bits: tape[index &+ 1]).end(from: index &+ 1)
        }
    }

    /// - Parameters:
    ///   - count: the number of keys, this one included.
    ///   - first: the index of the first key.
    ///   - end: the index after the last entry before this one.
    @inline(__always)
    mutating func insert(
        _ key: TapeEntry, bytes: UnsafePointer<UInt8>, count: Int, tape: UnsafeMutablePointer<UInt64>, first: Int, end: Int
    ) {
        if isIrregular { return }
        guard key.has(TapeEntry.simple | TapeEntry.ascii), count <= Self.limit else {
            isIrregular = true
            return
        }
        let bit = Self.bit(key, bytes)
        if seen & bit != 0, Self.contains(key, bytes: bytes, tape: tape, first: first, end: end) { isIrregular = true }
        seen |= bit
    }

    @inline(__always)
    private static func bit(_ key: TapeEntry, _ bytes: UnsafePointer<UInt8>) -> UInt64 {
        1 &<< hash(bytes + key.offset, key.length)
    }

    /// 0…63.
    @inline(__always)
    private static func hash(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
        let word = SWAR.load(bytes)
        let first = count < 8 ? word & SWAR.mask(count) : word
        let last = count < 8 ? 0 : SWAR.load(bytes + (count &- 8)) &* 0xC2B2_AE3D_27D4_EB4F
        return ((first ^ last ^ UInt64(truncatingIfNeeded: count)) &* 0x9E37_79B9_7F4A_7C15) &>> 58
    }

    @inline(never)
    private static func contains(
        _ key: TapeEntry, bytes: UnsafePointer<UInt8>, tape: UnsafeMutablePointer<UInt64>, first: Int, end: Int
    ) -> Bool {
        var index = first
        while index < end {
            let other = TapeEntry(bits: tape[index])
            if other.length == key.length, SWAR.isEqual(bytes + other.offset, bytes + key.offset, key.length) { return true }
            index = TapeEntry(bits: tape[index &+ 1]).end(from: index &+ 1)
        }
        return false
    }
}
