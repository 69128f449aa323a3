public import CoreAPICore
internal import Foundation

extension Body {
    /// The body's lines, as they arrive, without their ends: LF or CR LF. An empty line is an empty string. A last line without
    /// an end counts. The lines must be UTF-8; a byte order mark before the first is dropped.
    ///
    /// ```swift
    /// for try await line in try await manager.stream(.get("log")).value.lines() { print(line) }
    /// ```
    ///
    /// - Parameters:
    ///   - limit: the largest number of bytes of a line, by default 16 MiB. A longer one fails with
    ///     ``StreamError/Reason/lineTooLong(limit:)`` before the reader keeps it.
    ///   - sentinel: a line that ends the lines, such as `[DONE]`; it is not delivered. Lines that end without it throw
    ///     ``StreamError/Reason/noSentinel(_:)``. Default `nil`.
    public func lines(limit: Int = 16_777_216, sentinel: String? = nil) -> Body.Lines {
        Body.Lines(body: self, limit: limit, sentinel: sentinel, context: .body)
    }

    /// The body in chunks of equal size, in bytes and at least 1; the last one may be smaller.
    public func chunks(of size: Int) -> Body {
        let size = Swift.max(1, size)
        let source = ChunkSource(isReplayable: isReplayable) {
            var (body, rest) = (CountedBody(self, .body), Data())
            return {
                var piece = rest
                // After an error no piece follows.
                rest = Data()
                while piece.count < size, let chunk = try await body.next() {
                    if piece.isEmpty { piece = chunk } else { piece += chunk }
                }
                guard !piece.isEmpty else { return nil }
                body.count.items += 1
                rest = piece.dropFirst(size)
                return piece.prefix(size)
            }
        }
        var pieces = Body.Stream(length: length, source)
        pieces.isDecoded = isDecoded
        return .stream(pieces)
    }

    /// The lines of a body; see ``Body/lines(limit:sentinel:)``.
    public struct Lines: AsyncSequence, Sendable {
        let body: Body
        let limit: Int
        let sentinel: String?
        let context: StreamContext

        /// Reads the lines once.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private var lines: LineReader
            /// `nil` at the end, and after an error.
            private var sentinel: String?

            init(_ sequence: Body.Lines) {
                lines = LineReader(CountedBody(sequence.body, sequence.context), LineParser(limit: sequence.limit))
                sentinel = sequence.sentinel
            }

            /// The next line; `nil` at the end.
            ///
            /// - Throws: ``StreamError``, or the error of the body.
            public mutating func next() async throws -> String? {
                let awaited = sentinel
                sentinel = nil
                guard let line = try await lines.next() else {
                    guard let awaited else { return nil }
                    throw lines.fail(.noSentinel(awaited))
                }
                guard let text = String(validating: line, as: UTF8.self) else { throw lines.fail(.invalidUTF8, of: line) }
                guard text != awaited else {
                    lines.end()
                    return nil
                }
                sentinel = awaited
                lines.body.count.items += 1
                return text
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
    }
}

struct LineReader {
    var body: CountedBody
    private var parser: LineParser
    private var isOver = false

    init(_ body: CountedBody, _ parser: LineParser) { (self.body, self.parser) = (body, parser) }

    mutating func next() async throws -> Data? {
        do {
            while !isOver {
                if let line = try parser.next() { return line }
                // An error of the body ends the lines, too: the bytes before it are a part of a line.
                isOver = true
                guard let chunk = try await body.next() else { return try parser.finish() }
                isOver = false
                parser.feed(chunk)
            }
            return nil
        } catch let reason as StreamError.Reason {
            throw fail(reason)
        }
    }

    /// The error that ends the lines.
    mutating func fail(_ reason: StreamError.Reason, of bytes: Data = Data()) -> any Error {
        isOver = true
        return body.failure(reason, of: bytes)
    }

    mutating func end() { isOver = true }
}
