/// Predicts an object's keys from an earlier object. While the prediction holds, the scanner need not search keys for their ends,
/// nor compare them with each other. This saves 10 % of decoding an array of objects.
struct KeyPattern {
    /// Where the next key stands in the index, and where that object ends.
    private var next = TapeEntry.none
    private var end = TapeEntry.none
    /// The value of the key that was found last.
    private(set) var value = TapeEntry.none

    init() {}

    /// - Parameter object: a value that was scanned, an object or not; what the index begins with is none.
    @inline(__always)
    init(of object: Int, in tape: UnsafeMutablePointer<UInt64>) {
        let entry = TapeEntry(bits: tape[object])
        guard entry.is(.object), !entry.has(TapeEntry.irregular) else { return }
        next = object &+ 2
        end = entry.end
    }

    /// Whether all keys so far were those that were expected.
    @inline(__always) var isFollowed: Bool { end != TapeEntry.none }

    /// The expected key, if it stands in the text.
    ///
    /// - Parameter text: behind an opening quote.
    @inline(__always)
    mutating func key(
        at place: Int, _ bytes: UnsafePointer<UInt8>, _ tape: UnsafeMutablePointer<UInt64>
    ) -> TapeEntry? {
        guard next != end else { return nil }
        let expected = TapeEntry(bits: tape[next])
        // Nothing is read far behind the text's end: the zeros there are in no key, and end the comparison.
        guard SWAR.isEqual(bytes + place, bytes + expected.offset, expected.length),
            bytes[place &+ expected.length] == UInt8(ascii: "\"")
        else { return nil }
        value = next &+ 1
        next = TapeEntry(bits: tape[value]).end(from: value)
        return TapeEntry(.string, flags: TapeEntry.simple | TapeEntry.ascii, length: expected.length, offset: place)
    }

    // MARK: - While another object is scanned

    init(bits: UInt64) {
        next = Int(truncatingIfNeeded: bits & 0xFFFF_FFFF)
        end = Int(truncatingIfNeeded: bits >> 32)
    }

    var bits: UInt64 { UInt64(truncatingIfNeeded: end) << 32 | UInt64(truncatingIfNeeded: next) }
}
