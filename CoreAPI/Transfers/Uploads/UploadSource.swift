internal import CoreAPICore
internal import CoreAPIHTTP
public import Foundation

/// The source of a resumable upload, read piece by piece. One task uses it.
struct UploadSource {
    struct Piece {
        let body: Body
        let count: Int64
        /// Whether the source ends with this part.
        let isLast: Bool
    }

    private enum Kind {
        case bytes(Data)
        case file(URL)
        case sequence(Body, SequenceReader?)
    }

    /// The bytes of one request if the plan does not say; `nil` for all the rest. `isHeld` says that they are held in memory.
    func usualSize(isHeld: Bool) -> Int? {
        if case .sequence = kind { return 1 << 20 }
        return isHeld ? 4 << 20 : nil
    }

    private var kind: Kind
    /// What identifies an unchanged file.
    private var file: (size: Int64, modified: Int64)?
    private let declared: Int64?
    /// Whether no byte was read yet.
    private(set) var isNew = true

    init(_ body: Body) {
        declared = body.length
        switch body {
        case .none: kind = .bytes(Data())
        case .bytes(let data): kind = .bytes(data)
        case .file(let url): kind = .file(url)
        case .stream: kind = .sequence(body, nil)
        }
    }

    /// The total number of bytes; `nil` if it is not known.
    var length: Int64? { file?.size ?? declared }

    /// The bytes of a sequence that were read for a request; `nil` for another source.
    var sent: ResumableUpload.SentBytes? {
        guard case .sequence(_, let reader) = kind else { return nil }
        return reader?.sent ?? ResumableUpload.SentBytes(SHA256(), count: 0)
    }

    /// Examines the source before its first byte is sent, and gives its fingerprint. Each later read of a file compares with it.
    mutating func begin() async throws -> String {
        isNew = false
        switch kind {
        case .bytes(let data):
            var hash = SHA256()
            for start in stride(from: 0, to: data.count, by: 1 << 20) {
                try Task.checkCancellation()
                hash.update(data.dropFirst(start).prefix(1 << 20))
                // A gigabyte takes seconds, and other tasks need the thread.
                await Task.yield()
            }
            return "bytes \(data.count) \(hash.finish().prefix(16).hexadecimal)"
        case .file(let url):
            try url.checkIsLocalFile()
            let reader = try LocalFile(reading: url.path)
            var sample = try reader.read(upTo: Self.sample)
            try reader.seek(to: max(0, reader.size - Int64(Self.sample)))
            sample += try reader.read(upTo: Self.sample)
            file = (reader.size, reader.modified)
            return "file \(reader.size) \(reader.modified) \(SHA256.hash(sample).prefix(16).hexadecimal)"
        case .sequence(let body, _):
            kind = .sequence(body, nil)
            return "sequence \(declared.map { "\($0)" } ?? "of any length")"
        }
    }

    /// The number of bytes at either end of a file that the fingerprint covers. Its date tells of a change between them.
    private static let sample = 16 * 1_024

    /// Reads the bytes of a sequence that an earlier process sent; `begin()` has examined every other source. The server lacks
    /// those from the offset on.
    mutating func skip(_ sent: ResumableUpload.SentBytes?, to offset: Int64) async throws {
        guard case .sequence(let body, nil) = kind else { return }
        guard let sent else {
            throw UploadSourceChanged(reason: "expected the count and hash of the bytes that were sent, found none")
        }
        var reader = SequenceReader(body, length: declared)
        try await reader.skip(sent, to: offset)
        kind = .sequence(body, reader)
    }

    /// The bytes from an offset, all of them without a limit. `isHeld` says that they must be in memory.
    mutating func piece(at offset: Int64, atMost limit: Int?, isHeld: Bool) async throws -> Piece {
        switch kind {
        case .bytes(let data):
            let rest = data.dropFirst(Int(clamping: offset))
            let piece = rest.prefix(limit ?? .max)
            return Piece(body: .bytes(Data(piece)), count: Int64(piece.count), isLast: piece.count == rest.count)
        case .file(let url): return try filePiece(of: url, at: offset, atMost: limit, isHeld: isHeld)
        case .sequence(let body, let reader):
            var current = reader ?? SequenceReader(body, length: declared)
            defer { kind = .sequence(body, current) }
            let (data, isLast) = try await current.read(at: offset, atMost: limit ?? .max)
            return Piece(body: .bytes(data), count: Int64(data.count), isLast: isLast)
        }
    }

    private func filePiece(of url: URL, at offset: Int64, atMost limit: Int?, isHeld: Bool) throws -> Piece {
        guard let facts = file else { throw UploadSourceChanged(reason: "expected the file to be examined before it is read") }
        let rest = max(0, facts.size - offset)
        let count = min(rest, Int64(limit ?? .max))
        let isLast = count == rest
        let open: @Sendable () throws -> FilePart = { try FilePart(url.path, facts, at: offset, count, isLast: isLast) }
        guard !isHeld, count > 0 else { return Piece(body: .bytes(try open().readAll()), count: count, isLast: isLast) }
        let stream = Body.Stream(length: count) {
            let part = try open()
            return { try part.read(upTo: $0) }
        }
        return Piece(body: .stream(stream), count: count, isLast: isLast)
    }
}

/// A part of an unchanged file.
///
/// `@unchecked`: one thread at a time reads it, the transport's.
private final class FilePart: @unchecked Sendable {
    private let file: LocalFile
    private let isLast: Bool
    private var left: Int64

    init(_ path: String, _ facts: (size: Int64, modified: Int64), at offset: Int64, _ count: Int64, isLast: Bool) throws {
        file = try LocalFile(reading: path)
        (self.isLast, left) = (isLast, count)
        guard (file.size, file.modified) == facts else {
            throw UploadSourceChanged(
                reason: "expected the file of \(facts.size) bytes as it was, found \(file.size) bytes or another date of change")
        }
        try file.seek(to: offset)
    }

    func read(upTo limit: Int) throws -> Data {
        // A byte after the last part means that the file has grown.
        guard left > 0 else { return isLast ? try file.read(upTo: 1) : Data() }
        let data = try file.read(upTo: Int(min(left, Int64(limit))))
        left -= Int64(data.count)
        return data
    }

    func readAll() throws -> Data {
        let count = left
        var data = Data()
        while left > 0, case let chunk = try read(upTo: Int(left)), !chunk.isEmpty { data += chunk }
        try UploadSourceChanged.check(Int64(data.count), of: count, isEnd: true)
        return data
    }
}

/// Reads a sequence forward only, and keeps the bytes that the server has not acknowledged.
private struct SequenceReader {
    private var iterator: Body.AsyncIterator
    private let length: Int64?
    /// The bytes read from `start` on.
    private var held = Data()
    private var start: Int64 = 0
    private var isEnded = false
    /// Of the first `hashed` bytes.
    private var hash = SHA256()
    private var hashed: Int64 = 0

    init(_ body: Body, length: Int64?) { (iterator, self.length) = (body.makeAsyncIterator(), length) }

    var sent: ResumableUpload.SentBytes { ResumableUpload.SentBytes(hash, count: hashed) }

    mutating func skip(_ expected: ResumableUpload.SentBytes, to offset: Int64) async throws {
        while hashed < expected.count, try await readOn() {
            cover(to: min(expected.count, end))
            drop(to: min(offset, end))
        }
        guard sent == expected else {
            let reason = "expected the \(expected.count) bytes that were sent before, found \(hashed) bytes that differ"
            throw UploadSourceChanged(reason: reason)
        }
    }

    /// - Throws: ``UploadSourceChanged`` for an offset before the held bytes, and for a sequence of another length.
    mutating func read(at offset: Int64, atMost limit: Int) async throws -> (Data, isLast: Bool) {
        guard offset >= start else {
            throw UploadSourceChanged(reason: "expected to continue from byte \(start) on, but the server wants byte \(offset)")
        }
        guard offset <= end else {
            throw UploadSourceChanged(reason: "expected at least \(offset) bytes, but the source ended after \(end)")
        }
        drop(to: offset)
        // One more byte proves that the piece is not the last one.
        while held.count <= limit, try await readOn() {}
        cover(to: start + Int64(min(held.count, limit)))
        return (Data(held.prefix(limit)), isEnded && held.count <= limit)
    }

    /// The offset after the last byte read.
    private var end: Int64 { start + Int64(held.count) }

    private mutating func cover(to offset: Int64) {
        guard offset > hashed else { return }
        hash.update(held.dropFirst(Int(hashed - start)).prefix(Int(offset - hashed)))
        hashed = offset
    }

    private mutating func drop(to offset: Int64) {
        guard offset > start else { return }
        held = Data(held.dropFirst(Int(offset - start)))
        start = offset
    }

    private mutating func readOn() async throws -> Bool {
        guard !isEnded else { return false }
        let chunk = try await iterator.next()
        isEnded = chunk == nil
        if let chunk { held += chunk }
        try UploadSourceChanged.check(start + Int64(held.count), of: length, isEnd: isEnded)
        return !isEnded
    }
}

extension ResumableUpload.SentBytes {
    fileprivate init(_ hash: SHA256, count: Int64) {
        var hash = hash
        self.init(count: count, hash: hash.finish().prefix(16).hexadecimal)
    }
}

/// The source of an upload has changed since the upload began. A file has shrunk, grown or changed; bytes or a sequence have
/// another number or other content. The upload fails with `TransportError.bodyUnreadable(_:)` around this error.
public struct UploadSourceChanged: Error, Hashable, LocalizedError {
    /// The expected and the found source, in words.
    public let reason: String
    public var errorDescription: String? { reason }

    /// Checks the number of bytes read so far against the expected one, if that is known.
    static func check(_ count: Int64, of length: Int64?, isEnd: Bool) throws(UploadSourceChanged) {
        guard let length else { return }
        if count > length { throw UploadSourceChanged(reason: "expected \(length) bytes, but the source goes on after them") }
        if isEnd, count < length {
            throw UploadSourceChanged(reason: "expected \(length) bytes, but the source ended after \(count)")
        }
    }
}
