/// The keys of one object while it is scanned: whether they can be compared byte by byte, and all differ.
struct KeySet {
    /// One bit for each key's hash. A key whose bit is already set is compared with the keys before.
    private(set) var seen: UInt64 = 0
    private(set) var isIrregular = false

    /// An object with more members gets a dictionary when it is decoded.
    static let limit = 32

    init() {}

    init(seen: UInt64, isIrregular: Bool) { (self.seen, self.isIrregular) = (seen, isIrregular) }

    /// The keys of an object that is still being scanned, up to a tape index; they are known to be regular.
    @inline(never)
    init(of object: Int, bytes: UnsafePointer<UInt8>, tape: UnsafeMutablePointer<UInt64>, end: Int) {
        tape.forEachKey(from: object &+ 2, to: end) { seen |= Self.bit(TapeEntry(bits: tape[$0]), bytes) }
    }

    /// - Parameters:
    ///   - count: the number of keys, this one included.
    ///   - first: the tape index of the first key. The other keys end at `end`.
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
        var isFound = false
        tape.forEachKey(from: first, to: end) {
            let other = TapeEntry(bits: tape[$0])
            if other.length == key.length, SWAR.isEqual(bytes + other.offset, bytes + key.offset, key.length) { isFound = true }
        }
        return isFound
    }
}

/// Predicts an object's keys from an earlier object. While the prediction holds, the scanner need not search keys for their ends,
/// nor compare them with each other. This saves 10 % of decoding an array of objects.
struct KeyPattern {
    /// The next key's index in the tape, and the end of the object that predicts it.
    private var next = TapeEntry.none
    private var end = TapeEntry.none
    /// The index of the value of the key that was found last.
    private(set) var value = TapeEntry.none

    init() {}

    /// - Parameter object: the index of a scanned value of any kind. Index 0 is never an object.
    @inline(__always)
    init(of object: Int, in tape: UnsafeMutablePointer<UInt64>) {
        let entry = TapeEntry(bits: tape[object])
        guard entry.is(.object), !entry.has(TapeEntry.irregular) else { return }
        next = object &+ 2
        end = entry.end
    }

    /// Whether all keys so far were as predicted.
    @inline(__always) var isFollowed: Bool { end != TapeEntry.none }

    /// The predicted key, if the text has it after an opening quote.
    @inline(__always)
    mutating func key(
        at offset: Int, _ bytes: UnsafePointer<UInt8>, _ tape: UnsafeMutablePointer<UInt64>
    ) -> TapeEntry? {
        guard next != end else { return nil }
        let expected = TapeEntry(bits: tape[next])
        // At the end of the text the comparison stops at the zeros behind it, because no key contains a zero.
        guard SWAR.isEqual(bytes + offset, bytes + expected.offset, expected.length),
            bytes[offset &+ expected.length] == UInt8(ascii: "\"")
        else { return nil }
        value = next &+ 1
        next = TapeEntry(bits: tape[value]).end(from: value)
        return TapeEntry(.string, flags: TapeEntry.simple | TapeEntry.ascii, length: expected.length, offset: offset)
    }

    // MARK: - Stored while a nested value is scanned

    init(bits: UInt64) {
        next = Int(truncatingIfNeeded: bits & 0xFFFF_FFFF)
        end = Int(truncatingIfNeeded: bits >> 32)
    }

    var bits: UInt64 { UInt64(truncatingIfNeeded: end) << 32 | UInt64(truncatingIfNeeded: next) }
}
