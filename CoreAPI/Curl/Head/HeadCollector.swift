internal import CoreAPIHTTP

/// Collects the bytes of a response's head as the header callback delivers them, line by line. The task that waits for the
/// response parses them, so that the loop's thread makes no strings.
///
/// Interim responses (1xx, RFC 9110 §15.2) other than 100 have lists of their own. So have the lines after the final head, its
/// trailers: a field after the body must not change the head (RFC 9110 §6.5.1).
///
/// It belongs to a handle and serves its exchanges one after the other, so that few need new memory. A line is copied with a
/// check and a `memcpy`, at a third of the cost of appending to an array; a head has ten lines.
struct HeadCollector: ~Copyable {
    enum Line {
        /// The first line of a head.
        case status
        case other
        /// The last line of the final head.
        case end
        /// The last line of a head that ends HTTP on the connection.
        case switching
        /// More bytes, or more lines, arrived than allowed.
        case tooLarge, tooMany
    }

    /// Whether the final head is complete.
    private(set) var isComplete = false
    private(set) var isMultiplexed = false
    /// That of the last status line; 0 without one.
    private(set) var status = 0
    private(set) var framing = FramingLines()
    private(set) var interim: [[UInt8]] = []
    private(set) var trailers: [UInt8] = []
    /// Empty until the handle's first head arrives: thousands of handles may wait for one.
    private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var count = 0
    private var limits = (size: 0, lines: 0)
    private var received = 0
    private var lines = 0
    private var expectsStatus = true

    private static let usual = 1_024

    deinit { storage.deallocate() }

    var bytes: [UInt8] { Array(UnsafeRawBufferPointer(rebasing: storage[..<count])) }

    /// Whether a `Location` has a value.
    var namesLocation: Bool {
        bytes.split(separator: 0x0A).contains { line in
            line.starts(with: "location:", ignoringCase: true)
                && line.dropFirst("location:".utf8.count).contains { !$0.isBlank && $0 != 0x0D }
        }
    }

    /// Starts another response, with at most so many bytes of all lines together, and so many lines. Interim responses and
    /// trailers count, because a flood of them is a flood as well.
    mutating func begin(size: Int, lines: Int) {
        limits = (size, lines)
        (received, self.lines, count, status) = (0, 0, 0, 0)
        (isComplete, expectsStatus, isMultiplexed) = (false, true, false)
        framing = FramingLines()
        if !interim.isEmpty { interim = [] }
        if !trailers.isEmpty { trailers = [] }
    }

    /// Releases a very large buffer, because the next head is probably smaller.
    mutating func shrink() {
        guard storage.count > 16 * Self.usual else { return }
        count = 0
        resize(to: Self.usual)
    }

    mutating func append(_ line: UnsafeRawBufferPointer) -> Line {
        received += line.count
        lines += 1
        guard received <= limits.size else { return .tooLarge }
        guard lines <= limits.lines else { return .tooMany }
        guard !isComplete, !line.isEmpty else {
            trailers.append(contentsOf: line)
            return .other
        }
        if expectsStatus, line.begins(with: "HTTP/") {
            expectsStatus = false
            count = 0
            keep(line)
            framing = FramingLines(isHTTP10: line.begins(with: "HTTP/1.0"))
            status = Self.status(line)
            isMultiplexed = line.count > 5 && line[5] != UInt8(ascii: "1")
            return .status
        }
        if FramingLines.mayBegin(with: line[0]) {
            framing.note(line, at: count)
        } else if line[0].isBlank {
            // It continues the line before, perhaps one of these.
            framing.mayMissBodyEnd = true
        }
        keep(line)
        if line.count <= 2, line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
            guard status != 101 else { return .switching }
            let isInterim = (100...199).contains(status)
            (isComplete, expectsStatus) = (!isInterim, isInterim)
            if isInterim, status != 100 { interim.append(bytes) }
            return isComplete ? .end : .other
        }
        return .other
    }

    // Inlined: called for each of some ten lines of a head.
    @inline(__always)
    private mutating func keep(_ line: UnsafeRawBufferPointer) {
        guard let source = line.baseAddress else { return }
        if count + line.count > storage.count { resize(to: max(Self.usual, 2 * storage.count, count + line.count)) }
        storage.baseAddress?.advanced(by: count).copyMemory(from: source, byteCount: line.count)
        count += line.count
    }

    private mutating func resize(to size: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        storage.deallocate()
        storage = larger
    }

    /// The three bytes after the first space, of which each that is no digit counts as 0.
    private static func status(_ line: UnsafeRawBufferPointer) -> Int {
        var start = 0
        while start < line.count, line[start] != UInt8(ascii: " ") { start += 1 }
        var status = 0
        for index in start + 1..<start + 4 {
            status = status * 10 + (index < line.count && line[index].isDigit ? Int(line[index] - UInt8(ascii: "0")) : 0)
        }
        return status
    }
}

/// What a head's lines say of the body's framing and coding, and the offsets of these lines, so that a reader need not search all
/// lines.
struct FramingLines {
    private var starts = SIMD4<UInt16>()
    private(set) var count = 0
    /// Whether all such lines were noted.
    private(set) var isComplete = true
    /// Whether a line may be `Content-Encoding`. Most heads have no such line, and are not searched for it.
    private(set) var mayNameCodings = false
    /// Whether the head's parser must look for the body's end at once, because libcurl may see another one. Not after one plain
    /// `Content-Length`, or one `Transfer-Encoding` that ends in `chunked`.
    var mayMissBodyEnd = false
    private var (namesTransferCoding, namesLength) = (false, false)
    private let isHTTP10: Bool

    init(isHTTP10: Bool = false) { self.isHTTP10 = isHTTP10 }

    /// Whether there is a `Transfer-Encoding` beside a `Content-Length`, or in HTTP/1.0. Peers may disagree about such a body's
    /// end (RFC 9112 §6.1, §6.3), so the connection must not be used again.
    var isFaulty: Bool { namesTransferCoding && (namesLength || isHTTP10) }

    /// Whether a line that begins with this byte may be one: `Content-…` and `Transfer-Encoding`.
    static func mayBegin(with byte: UInt8) -> Bool { byte | 0x20 == UInt8(ascii: "c") || byte | 0x20 == UInt8(ascii: "t") }

    /// - Parameter start: the offset of the line's first byte in the head.
    mutating func note(_ line: UnsafeRawBufferPointer, at start: Int) {
        // The byte after a name of that length distinguishes most lines: a colon, or what the head's parser takes for a blank.
        func mayEndName(at index: Int) -> Bool {
            line.count > index && (line[index] == UInt8(ascii: ":") || line[index] <= 0x20)
        }
        if mayEndName(at: 14), line.isNamed("content-length") {
            if namesLength || !line.hasPlainNumber(after: 14) { mayMissBodyEnd = true }
            namesLength = true
        } else if mayEndName(at: 16) {
            mayNameCodings = true
        } else if mayEndName(at: 17), line.isNamed("transfer-encoding") {
            // Nearly every one is "chunked" and a line end of two bytes.
            let isUsual = line[17] == UInt8(ascii: ":") && line[line.count - 3] | 0x20 == UInt8(ascii: "d")
            if namesTransferCoding || !isUsual { mayMissBodyEnd = true }
            namesTransferCoding = true
        } else {
            return
        }
        if count < 4, let start = UInt16(exactly: start) {
            starts[count] = start
            count += 1
        } else {
            isComplete = false
        }
    }

    subscript(index: Int) -> Int { Int(starts[index]) }
}

extension UInt8 {
    /// White space within a line.
    var isBlank: Bool { self == 0x20 || self == 0x09 }
}

// Loops, not generic: iterators cost ten times as much, and in a debug build allocate for each line of a head.
extension UnsafeRawBufferPointer {
    /// As `starts(with:)`.
    func begins(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount where self[index] != text.utf8Start[index] { return false }
        return true
    }

    /// As ``begins(with:)``, in any case; the name is in lower case.
    func isNamed(_ name: StaticString) -> Bool {
        guard count >= name.utf8CodeUnitCount else { return false }
        for index in 0..<name.utf8CodeUnitCount {
            let (byte, expected) = (self[index], name.utf8Start[index])
            // A letter in upper case differs by this bit.
            guard byte == expected || byte ^ 0x20 == expected && expected > UInt8(ascii: "Z") else { return false }
        }
        return true
    }

    /// Whether `: 123` and a line end follow a name that ends at an offset, and the number has at most 18 digits.
    fileprivate func hasPlainNumber(after end: Int) -> Bool {
        guard end < count, self[end] == UInt8(ascii: ":") else { return false }
        var index = end + 1
        while index < count, self[index].isBlank { index += 1 }
        let start = index
        while index < count, self[index].isDigit { index += 1 }
        guard (1...18).contains(index - start) else { return false }
        while index < count {
            guard self[index].isBlank || self[index] == 0x0D || self[index] == 0x0A else { return false }
            index += 1
        }
        return true
    }
}
