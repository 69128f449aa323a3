/// A value that has been encoded, or a container that is being filled.
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
    /// Where its key lies in the text, with quotes and colon.
    var keyStart: UInt32 = 0
    var keyLength: UInt32 = 0
    /// Where the text begins; of a container its first child.
    var start: UInt32 = 0
    /// Where the text ends; of a container its last child.
    var end: UInt32 = 0
    /// Items that it stands for; of a container those in it.
    var count: UInt32 = 0
    /// 1 more than the place in ``OutputTree/oddNames`` of a key that cannot be compared byte by byte.
    var oddName: UInt32 = 0
    /// How many containers lie around a container, itself included.
    var depth: UInt16 = 0
    let kind: Kind
    /// Whether what it belongs to has been encoded, and containers that somebody has kept write to it no more.
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

/// A key as it lies in the text.
struct KeyText {
    let start: Int
    let end: Int
    var oddName: UInt32 = 0
}
