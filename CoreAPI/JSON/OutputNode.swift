/// An encoded value, or a container that is being filled.
struct OutputNode: BitwiseCopyable {
    enum Kind: UInt8 {
        /// One value as text.
        case scalar
        /// Several items of an array as one text, with the commas between them.
        case items
        case array
        case object
    }

    /// The next member or item of the same container; 0 for none.
    var next: UInt32 = 0
    /// The offset of its key in the text, with quotes and colon.
    var keyStart: UInt32 = 0
    var keyLength: UInt32 = 0
    /// The start of its text; of a container, the first child.
    var start: UInt32 = 0
    /// The end of its text; of a container, the last child.
    var end: UInt32 = 0
    /// How many items it stands for; of a container, how many it contains.
    var count: UInt32 = 0
    /// For a key that cannot be compared byte by byte: its index in ``OutputTree/oddNames``, plus 1.
    var oddName: UInt32 = 0
    /// Of a container: how many containers enclose it, itself included.
    var depth: UInt16 = 0
    let kind: Kind
    /// Whether encoding is finished. Retained containers can no longer write.
    var isClosed = false

    init(_ kind: Kind) {
        self.kind = kind
    }

    init(text start: Int, _ end: Int, kind: Kind = .scalar, count: Int = 1) {
        self.kind = kind
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: end)
        self.count = UInt32(truncatingIfNeeded: count)
    }
}

/// The bytes of a key in the text.
struct KeyText {
    let start: Int
    let end: Int
    var oddName: UInt32 = 0
}
