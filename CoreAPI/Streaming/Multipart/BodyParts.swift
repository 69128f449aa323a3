public import CoreAPICore
public import CoreAPIHTTP
internal import Foundation
public import HTTPTypes

extension Body {
    /// The bounds that the reader of a multipart body applies.
    public struct PartLimits: Sendable, Hashable {
        /// The largest number of bytes of one part's head. Default 16 KiB.
        public var headSize: Int
        /// The largest number of parts. Default 10,000.
        public var parts: Int
        let headLines = 1_000

        /// Makes limits; each omitted one has its default.
        public init(headSize: Int = 16_384, parts: Int = 10_000) { (self.headSize, self.parts) = (headSize, parts) }
    }

    /// One part of a multipart body: its fields, and its content as it arrives.
    ///
    /// ```swift
    /// for try await part in manager.parts(.get("photos")) {
    ///     print(part.fileName ?? "unnamed", try await part.body.collect(upTo: 1 << 20).count)
    /// }
    /// ```
    ///
    /// The next part begins where this one ends, so read ``body`` before the next part. The reader skips unread bytes. For a part
    /// that is multipart itself, use ``Body/parts(boundary:limits:)`` of its body.
    public struct Part: Sendable {
        /// The part's fields.
        public let headers: HTTPFields
        /// The part's content; it can be read once.
        public let body: Body

        /// The media type; `nil` if the part has none. The type is then `text/plain` in US-ASCII (RFC 2046 §5.1).
        public var mediaType: MediaType? { MediaType(headers) }
        /// The field's name in a form (RFC 7578 §4.2).
        public var name: String? { disposition?.text("name") }
        /// The file's name, if its sender gave one: that of `filename*` (RFC 8187), else that of `filename`. The sender chose it,
        /// so never use it as a path.
        public var fileName: String? { disposition?.text("filename") }
        private var disposition: MediaType? { headers[values: .contentDisposition].first.flatMap(MediaType.init(disposition:)) }
    }
}

extension MediaType {
    /// A parameter: its extended form if that is readable, else its plain one (RFC 8187 §3.2).
    fileprivate func text(_ name: String) -> String? {
        guard let extended = parameters["\(name)*"] else { return parameters[name] }
        // Octets, because a quote before a combining mark is another character to Swift.
        let parts = extended.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard parts.count == 3, let charset = try? Charset(named: String(parts[0])),
            let bytes = PercentEncoding.bytes(parts[2]), let text = try? charset.text(of: bytes)
        else { return parameters[name] }
        return text
    }
}

extension PercentEncoding {
    /// The decoded bytes; `nil` for a percent sign without two digits.
    fileprivate static func bytes(_ text: Substring) -> Data? {
        var bytes = Data()
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            // `UInt8` takes a sign, too.
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}

extension Body {
    /// The parts of a multipart body. The boundary is a parameter of its media type, unquoted; ``Dispatcher/parts(_:limits:)``
    /// finds it.
    ///
    /// - Throws: ``StreamError`` for a boundary that no body can have.
    public func parts(boundary: String, limits: Body.PartLimits = Body.PartLimits()) throws -> Body.Parts {
        try Body.Parts(self, .body, boundary: boundary, limits)
    }

    /// The parts of a multipart body; see ``Body/Part``.
    public struct Parts: AsyncSequence, Sendable {
        private let body: Body
        private let context: StreamContext
        private let parser: MultipartParser

        /// Without a boundary, that of the response's media type.
        init(_ body: Body, _ context: StreamContext, boundary: String? = nil, _ limits: Body.PartLimits) throws {
            (self.body, self.context) = (body, context)
            do throws(StreamError.Reason) {
                let boundary = if let boundary { boundary } else { try Self.boundary(context.head) }
                parser = try MultipartParser(boundary: boundary, limits: limits)
            } catch {
                throw context.failure(error, StreamCount())
            }
        }

        static func boundary(_ head: ResponseHead?) throws(StreamError.Reason) -> String {
            let type = head?.mediaType
            guard type?.essence.hasPrefix("multipart/") == true, let boundary = type?.parameters["boundary"] else {
                throw .noBoundary(type?.essence)
            }
            return boundary
        }

        /// Reads the parts once.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private let reader: PartReader

            init(_ parts: Body.Parts) { reader = PartReader(CountedBody(parts.body, parts.context), parts.parser) }

            /// Skips the rest of the previous part and gives the next one; `nil` at the end.
            ///
            /// - Throws: ``StreamError``, or the error of the body.
            public mutating func next() async throws -> Body.Part? { try await reader.nextPart() }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
    }
}

/// Reads a multipart body, in turn for the loop over its parts and for the current part.
///
/// `@unchecked`: only the task that has set `isBusy` uses the body and the parser.
private final class PartReader: @unchecked Sendable {
    private let isBusy = Mutex(false)
    private var source: CountedBody
    private var parser: MultipartParser
    private var part = 0
    private var isOver = false

    init(_ source: CountedBody, _ parser: MultipartParser) { (self.source, self.parser) = (source, parser) }

    func nextPart() async throws -> Body.Part? {
        try await alone {
            while let item = try await self.nextItem() {
                guard case .head(let fields) = item else { continue }
                self.part += 1
                self.source.count.items += 1
                return Body.Part(headers: fields, body: self.body(of: self.part))
            }
            return nil
        }
    }

    private func body(of number: Int) -> Body {
        let unread = Mutex<Int?>(number)
        let source = ChunkSource(isReplayable: false) {
            guard unread.withLock({ $0.take() }) != nil else { throw BodyError.readTwice }
            return { try await self.nextChunk(of: number) }
        }
        return .stream(Body.Stream(length: nil, source))
    }

    private func nextChunk(of number: Int) async throws -> Data? {
        try await alone {
            guard number == self.part else { throw self.source.failure(.partPassed) }
            guard case .content(let data) = try await self.nextItem() else { return nil }
            return data
        }
    }

    private func nextItem() async throws -> MultipartParser.Item? {
        do {
            while !isOver {
                if let item = try parser.next() { return item }
                // An error of the source ends the parts, too.
                isOver = true
                guard !parser.isEpilogueTooLong else { break }
                if let chunk = try await source.next() {
                    parser.feed(chunk)
                } else if parser.isComplete {
                    break
                } else {
                    parser.finish()
                }
                isOver = false
            }
            return nil
        } catch let reason as StreamError.Reason {
            isOver = true
            throw source.failure(reason)
        }
    }

    private func alone<Result>(_ work: () async throws -> Result) async throws -> Result {
        let isFree = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFree else { throw BodyError.readTwice }
        defer { isBusy.withLock { $0 = false } }
        return try await work()
    }
}
