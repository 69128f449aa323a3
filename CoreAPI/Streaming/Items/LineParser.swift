package import Foundation

/// Splits bytes at a separator, or into JSON texts. Pure: no I/O, and a line may be cut anywhere. A byte order mark before the
/// first line is dropped.
package struct LineParser {
    private let separator: UInt8
    /// Finds the ends of JSON texts within a line.
    private var texts: JSONTextEnds?
    /// Of a line in bytes, its end excluded.
    private let limit: Int
    private var chunk = Data()
    /// The number of its bytes already read.
    private var taken = 0
    /// The first bytes of a line whose end has not arrived.
    private var pending: [UInt8] = []
    /// The body's first bytes, as long as they may be a byte order mark; `nil` afterwards.
    private var mark: Data? = Data()
    private static let byteOrderMark = Data([0xEF, 0xBB, 0xBF])

    package init(separator: UInt8 = UInt8(ascii: "\n"), limit: Int) {
        self.separator = separator
        // The parser holds one byte beyond the limit: the CR before the LF.
        self.limit = min(max(0, limit), .max - 1)
    }

    /// Splits JSON Lines. A line feed ends a text. So does the last byte of an object, an array or a string, because some servers
    /// write one text directly after the other. `spansLines` says that an object or an array continues behind a line feed.
    package init(jsonLimit limit: Int, spansLines: Bool) {
        self.init(limit: limit)
        texts = JSONTextEnds(spansLines: spansLines)
    }

    package mutating func feed(_ bytes: Data) {
        guard var first = mark else { return take(bytes) }
        first += bytes
        if first.count < Self.byteOrderMark.count, Self.byteOrderMark.starts(with: first) { return mark = first }
        mark = nil
        take(first.starts(with: Self.byteOrderMark) ? first.dropFirst(Self.byteOrderMark.count) : first)
    }

    private mutating func take(_ bytes: Data) {
        chunk = taken < chunk.count ? chunk.dropFirst(taken) + bytes : bytes
        taken = 0
    }

    /// The next line without its end; `nil` if more bytes are needed. Throws before it keeps more than the limit.
    package mutating func next() throws(StreamError.Reason) -> Data? {
        guard taken < chunk.count else { return nil }
        let found = chunk.withUnsafeBytes { end(in: $0) }
        let piece = chunk[(chunk.startIndex + taken)..<(chunk.startIndex + (found?.end ?? chunk.count))]
        guard pending.count + piece.count <= limit + 1 else { throw .lineTooLong(limit: limit) }
        taken = found?.next ?? chunk.count
        guard found != nil else {
            pending += piece
            return nil
        }
        return try line(ending: piece)
    }

    private mutating func end(in bytes: UnsafeRawBufferPointer) -> (end: Int, next: Int)? {
        guard texts == nil else { return texts?.next(in: bytes, from: taken) }
        return bytes.index(of: separator, from: taken).map { ($0, $0 + 1) }
    }

    /// The last line, if the body does not end with a separator.
    package mutating func finish() throws(StreamError.Reason) -> Data? {
        if let mark { pending += mark }
        mark = nil
        return pending.isEmpty ? nil : try line(ending: Data())
    }

    private mutating func line(ending piece: Data) throws(StreamError.Reason) -> Data {
        var line = piece
        if !pending.isEmpty {
            line = Data(pending) + piece
            pending.removeAll(keepingCapacity: pending.count < 65_536)
        }
        if separator == UInt8(ascii: "\n"), line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        guard line.count <= limit else { throw .lineTooLong(limit: limit) }
        return line
    }
}

/// Finds where JSON texts end, across chunks. It does not check them: the coder does.
private struct JSONTextEnds {
    let spansLines: Bool
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// Whether the line has other text than whole objects, arrays and strings. Only a line feed ends that.
    private var isOther = false

    init(spansLines: Bool) { self.spansLines = spansLines }

    /// The offset of the end of a text, and the offset behind it.
    mutating func next(in bytes: UnsafeRawBufferPointer, from start: Int) -> (end: Int, next: Int)? {
        var index = start
        while index < bytes.count {
            if isOther { index = bytes.index(of: UInt8(ascii: "\n"), from: index) ?? bytes.count - 1 }
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\n") {
                // JSON has no line feed in a string, so a broken text ends here at the latest.
                if spansLines, depth > 0, !isInString { continue }
                self = JSONTextEnds(spansLines: spansLines)
                return (index - 1, index)
            }
            if isOther { continue }
            if ends(with: byte) {
                self = JSONTextEnds(spansLines: spansLines)
                return (index, index)
            }
        }
        return nil
    }

    /// Whether a text ends with this byte.
    private mutating func ends(with byte: UInt8) -> Bool {
        switch byte {
        case _ where isEscaped: isEscaped = false
        case UInt8(ascii: "\\") where isInString: isEscaped = true
        case UInt8(ascii: "\""):
            isInString.toggle()
            return !isInString && depth == 0
        case _ where isInString: break
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            isOther = depth < 0
            return depth == 0
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
        default: isOther = depth == 0
        }
        return false
    }
}

extension UnsafeRawBufferPointer {
    /// The index of the next such byte, if there is one. The system's search compares 16 to 32 bytes at a time.
    func index(of byte: UInt8, from start: Int) -> Int? {
        guard start < count, let base = baseAddress, let found = memchr(base + start, Int32(byte), count - start) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }
}
