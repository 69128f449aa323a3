package import Foundation

/// Reads the bytes of an event stream (WHATWG HTML §9.2.6). Pure: no I/O, and the bytes may be cut anywhere.
///
/// Lines end with LF, CR or CR LF. The parser reads a line inside its chunk, and copies it only if the chunk ends within it.
package struct EventParser {
    /// The last id that an event had.
    package private(set) var lastEventID: String
    /// The server's last `retry`; `nil` if it sent none.
    package private(set) var retry: Duration?
    /// Whether a whole line was read, a comment included.
    package private(set) var hasLine = false

    /// The largest number of bytes of an event's data, and of a line.
    private let limit: Int
    /// The largest number of bytes before a line's value: a byte order mark, the field's name, a colon and a space.
    private static let fieldSize = 10
    private var chunk = Data()
    private var taken = 0
    /// The offsets of the next LF and CR in the chunk: one search for all lines before them.
    private var (nextLF, nextCR) = (-1, -1)
    /// Whether the next byte is the LF of a CR LF.
    private var skipsLF = false
    private var isFirstLine = true
    /// The first bytes of a line whose end has not arrived.
    private var pending: [UInt8] = []
    private var data: [UInt8] = []
    private var name = ""
    private var id: String

    /// `lastEventID` is the id that an earlier connection ended with.
    package init(lastEventID: String = "", limit: Int) {
        self.lastEventID = lastEventID
        self.limit = min(max(0, limit), .max - Self.fieldSize)
        id = lastEventID
    }

    private var tooLarge: StreamError.Reason { .eventTooLarge(limit: limit) }

    package mutating func feed(_ bytes: Data) {
        chunk = taken < chunk.count ? chunk.dropFirst(taken) + bytes : bytes
        (taken, nextLF, nextCR) = (0, -1, -1)
    }

    /// The next event; `nil` if more bytes are needed. At the end of a body, an event without its empty line is dropped. Throws a
    /// `StreamError.Reason`, before it keeps more than the limit.
    package mutating func next() throws -> ServerSentEvent<String>? {
        // A local value, so that the parser can read a line without a copy.
        let chunk = chunk
        return try chunk.withUnsafeBytes { try next(in: $0) }
    }

    private mutating func next(in bytes: UnsafeRawBufferPointer) throws -> ServerSentEvent<String>? {
        while taken < bytes.count {
            if skipsLF {
                skipsLF = false
                if bytes[taken] == UInt8(ascii: "\n") {
                    taken += 1
                    continue
                }
            }
            let end = lineEnd(in: bytes)
            let piece = UnsafeRawBufferPointer(rebasing: bytes[taken..<end])
            guard pending.count + piece.count <= limit + Self.fieldSize else { throw tooLarge }
            guard end < bytes.count else {
                pending += piece
                taken = end
                return nil
            }
            skipsLF = bytes[end] == UInt8(ascii: "\r")
            taken = end + 1
            hasLine = true
            if let event = try take(piece) { return event }
        }
        return nil
    }

    private mutating func lineEnd(in bytes: UnsafeRawBufferPointer) -> Int {
        if nextLF < taken { nextLF = bytes.index(of: UInt8(ascii: "\n"), from: taken) ?? bytes.count }
        if nextCR < taken { nextCR = bytes.index(of: UInt8(ascii: "\r"), from: taken) ?? bytes.count }
        return min(nextLF, nextCR)
    }

    private mutating func take(_ piece: UnsafeRawBufferPointer) throws -> ServerSentEvent<String>? {
        guard !pending.isEmpty else { return try read(line: piece) }
        pending += piece
        let whole = pending
        pending = []
        return try whole.withUnsafeBytes { try read(line: $0) }
    }

    private mutating func read(line: UnsafeRawBufferPointer) throws -> ServerSentEvent<String>? {
        var line = line
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = UnsafeRawBufferPointer(rebasing: line[3...]) }
        }
        guard let first = line.first else { return dispatch() }
        // A comment: the line begins with a colon.
        guard first != UInt8(ascii: ":") else { return nil }
        let colon = line.index(of: UInt8(ascii: ":"), from: 0) ?? line.count
        var start = min(colon + 1, line.count)
        if start < line.count, line[start] == UInt8(ascii: " ") { start += 1 }
        try read(UnsafeRawBufferPointer(rebasing: line[..<colon]), UnsafeRawBufferPointer(rebasing: line[start...]))
        return nil
    }

    private mutating func read(_ field: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
        if field.elementsEqual("data".utf8) {
            guard data.count + value.count <= limit else { throw tooLarge }
            data.append(contentsOf: value)
            data.append(UInt8(ascii: "\n"))
        } else if field.elementsEqual("event".utf8) {
            name = String(decoding: value, as: UTF8.self)
        } else if field.elementsEqual("id".utf8) {
            if value.index(of: 0, from: 0) == nil { id = String(decoding: value, as: UTF8.self) }
        } else if field.elementsEqual("retry".utf8), !value.isEmpty, value.allSatisfy({ (0x30...0x39).contains($0) }) {
            // At most a day, so that the arithmetic does not overflow.
            retry = .milliseconds(min(Int(String(decoding: value, as: UTF8.self)) ?? .max, 86_400_000))
        }
    }

    private mutating func dispatch() -> ServerSentEvent<String>? {
        lastEventID = id
        defer { name = "" }
        guard !data.isEmpty else { return nil }
        let text = data.withUnsafeBytes { String(decoding: $0[..<($0.count - 1)], as: UTF8.self) }
        data.removeAll(keepingCapacity: data.count < 65_536)
        return ServerSentEvent(id: id, name: name.isEmpty ? "message" : name, data: text)
    }
}
