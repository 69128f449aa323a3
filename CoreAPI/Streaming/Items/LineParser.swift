package import Foundation

/// Splits bytes at a separator. Pure: no I/O, and a line may be cut anywhere.
package struct LineParser {
    /// The byte that ends a line.
    private let separator: UInt8
    /// The largest number of bytes of a line, its end excluded.
    private let limit: Int
    private var chunk = Data()
    /// The number of bytes of `chunk` already read.
    private var taken = 0
    /// The first bytes of a line whose end has not arrived.
    private var pending: [UInt8] = []

    package init(separator: UInt8 = UInt8(ascii: "\n"), limit: Int) {
        self.separator = separator
        // Of a line the parser holds one byte more: the CR before the LF.
        self.limit = min(max(0, limit), .max - 1)
    }

    /// Adds the next bytes.
    package mutating func feed(_ bytes: Data) {
        chunk = taken < chunk.count ? chunk.dropFirst(taken) + bytes : bytes
        taken = 0
    }

    /// The next line without its end; `nil` if more bytes are needed.
    ///
    /// - Throws: ``StreamDefect/Reason/lineTooLong(limit:)``, before it keeps more than the limit.
    package mutating func next() throws(StreamDefect.Reason) -> Data? {
        guard taken < chunk.count else { return nil }
        let found = chunk.withUnsafeBytes { $0.index(of: separator, from: taken) }
        let piece = chunk[(chunk.startIndex + taken)..<(chunk.startIndex + (found ?? chunk.count))]
        guard pending.count + piece.count <= limit + 1 else { throw .lineTooLong(limit: limit) }
        taken += piece.count + 1
        guard found != nil else {
            pending += piece
            return nil
        }
        return try line(ending: piece)
    }

    /// The last line, if the body does not end with a separator.
    package mutating func finish() throws(StreamDefect.Reason) -> Data? {
        pending.isEmpty ? nil : try line(ending: Data())
    }

    private mutating func line(ending piece: Data) throws(StreamDefect.Reason) -> Data {
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
