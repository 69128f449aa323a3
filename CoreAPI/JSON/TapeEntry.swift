/// One word of the index: what kind of value it is and where its text lies, or where its members end.
///
/// Strings and numbers: kind (4 bits), flags (4), length in bytes (28), offset in bytes (28). Arrays and objects: kind, flags,
/// count of items or members (28), place behind the last one in the index (28). An object has a second word, its cursor. A member
/// is the key's word and the value's. While an array or object is scanned, its place is that of the one around it.
struct TapeEntry {
    /// Not an `enum`: each mention of one is a switch until late, and so many would keep the scanner's loops from being one
    /// function each.
    struct Kind {
        let rawValue: UInt8

        @inline(__always) static var null: Kind { Kind(rawValue: 0) }
        @inline(__always) static var `false`: Kind { Kind(rawValue: 1) }
        @inline(__always) static var `true`: Kind { Kind(rawValue: 2) }
        @inline(__always) static var number: Kind { Kind(rawValue: 3) }
        @inline(__always) static var string: Kind { Kind(rawValue: 4) }
        @inline(__always) static var array: Kind { Kind(rawValue: 5) }
        @inline(__always) static var object: Kind { Kind(rawValue: 6) }

        /// As an error tells it.
        var name: String { ["null", "bool", "bool", "number", "a string", "an array", "a dictionary"][Int(rawValue)] }
    }

    /// Of a string: no escape and no control character in it, so that its bytes are its value.
    static let simple: UInt64 = 1 << 4
    /// Of a string: ASCII only.
    static let ascii: UInt64 = 1 << 5
    /// Of a string: a control character in it, which makes it wrong.
    static let controls: UInt64 = 1 << 6
    /// Of a number: digits only, perhaps behind a minus.
    static let digits: UInt64 = 1 << 4
    /// Of an object: its keys cannot be compared byte by byte, because of escapes, letters beyond ASCII, equal keys or sheer
    /// number.
    static let irregular: UInt64 = 1 << 4
    /// Of an object that is being scanned: it has a ``KeyPattern``'s keys so far, and in its second word is that.
    static let follows: UInt64 = 1 << 5

    /// The place of no value. An index begins with a null, so that what is missing reads as one.
    static let none = 0
    /// The largest document, in bytes. No document needs more words than it has bytes, but for two.
    static let limit = (1 << 28) - 16

    var bits: UInt64

    init(bits: UInt64) {
        self.bits = bits
    }

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

    /// The place behind it and all that is in it.
    ///
    /// - Parameter place: its own.
    @inline(__always) func end(from place: Int) -> Int { isCollection ? end : place &+ 1 }

    @inline(__always) func `is`(_ kind: Kind) -> Bool { rawKind == kind.rawValue }
    @inline(__always) func has(_ flags: UInt64) -> Bool { bits & flags == flags }
    @inline(__always) var isCollection: Bool { rawKind >= Kind.array.rawValue }
}
