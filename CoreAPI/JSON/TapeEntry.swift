/// One word of the tape: a value's kind, and the offset of its text or the index of its end.
///
/// Strings and numbers: kind (4 bits), flags (4), length in bytes (28), offset in bytes (28). Arrays and objects: kind, flags,
/// count of items or members (28), index after the last one (28). While it is scanned, the last field holds the enclosing
/// container's index. An object has a second word, its cursor. A member is the key's word and the value's.
struct TapeEntry {
    /// A struct, because the optimizer keeps the switch of an `enum` for long, and then does not inline the scanner's loops.
    struct Kind {
        let rawValue: UInt8

        @inline(__always) static var null: Kind { Kind(rawValue: 0) }
        @inline(__always) static var `false`: Kind { Kind(rawValue: 1) }
        @inline(__always) static var `true`: Kind { Kind(rawValue: 2) }
        @inline(__always) static var number: Kind { Kind(rawValue: 3) }
        @inline(__always) static var string: Kind { Kind(rawValue: 4) }
        @inline(__always) static var array: Kind { Kind(rawValue: 5) }
        @inline(__always) static var object: Kind { Kind(rawValue: 6) }

        /// The name in errors.
        var name: String { ["null", "bool", "bool", "number", "a string", "an array", "a dictionary"][Int(rawValue)] }
    }

    /// A string without escapes and control characters: its bytes are its value.
    static let simple: UInt64 = 1 << 4
    /// A string of ASCII only.
    static let ascii: UInt64 = 1 << 5
    /// A string with a control character, which is invalid.
    static let controls: UInt64 = 1 << 6
    /// A number of digits only, with or without a minus.
    static let digits: UInt64 = 1 << 4
    /// An object whose keys cannot be compared byte by byte, because of escapes, letters beyond ASCII, equal keys or more than 32
    /// members.
    static let irregular: UInt64 = 1 << 4
    /// An object that is being scanned, whose keys match a ``KeyPattern`` so far. Its second word holds the pattern.
    static let follows: UInt64 = 1 << 5

    /// The index of no value. A tape begins with a null, so that a missing value reads as one.
    static let none = 0
    /// The largest document, in bytes. It needs at most two words more than it has bytes.
    static let limit = (1 << 28) - 16

    var bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    init(_ kind: Kind, flags: UInt64 = 0, length: Int, offset: Int) {
        bits = UInt64(kind.rawValue) | flags | UInt64(truncatingIfNeeded: length) << 8 | UInt64(truncatingIfNeeded: offset) << 36
    }

    @inline(__always) var rawKind: UInt8 { UInt8(truncatingIfNeeded: bits) & 0xF }
    @inline(__always) var kind: Kind { Kind(rawValue: rawKind) }
    @inline(__always) var length: Int { Int(truncatingIfNeeded: bits >> 8 & 0xFFF_FFFF) }
    @inline(__always) var offset: Int { Int(truncatingIfNeeded: bits >> 36) }
    @inline(__always) var count: Int { length }
    @inline(__always) var end: Int { offset }

    /// The index after the value and everything in it; `index` is its own.
    @inline(__always) func end(from index: Int) -> Int { isCollection ? end : index &+ 1 }
    @inline(__always) func `is`(_ kind: Kind) -> Bool { rawKind == kind.rawValue }
    @inline(__always) func has(_ flags: UInt64) -> Bool { bits & flags == flags }
    @inline(__always) var isCollection: Bool { rawKind >= Kind.array.rawValue }
}

extension UnsafeMutablePointer<UInt64> {
    /// Passes the index of each key of an object on a tape to a closure. The value is at the next index.
    @inline(__always)
    func forEachKey(from first: Int, to end: Int, _ body: (Int) throws -> Void) rethrows {
        var index = first
        while index < end {
            try body(index)
            index = TapeEntry(bits: self[index &+ 1]).end(from: index &+ 1)
        }
    }
}
