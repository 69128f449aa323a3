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

    /// The predicted key, if the text has it.
    ///
    /// - Parameter offset: the offset after an opening quote.
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
