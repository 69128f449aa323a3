internal import CoreAPIHTTP
public import Foundation

/// The body of a request or of a response: nothing, bytes, a file, or a stream of chunks.
///
/// ```swift
/// let body = try await manager.stream(.get("export")).value
/// for try await chunk in body { hash.update(chunk) }
/// ```
///
/// A body is read chunk by chunk, with backpressure: over `CurlTransport` at most about 512 KiB wait for the reader, over
/// `URLSessionTransport` any number. The body of a response may be sent on as the body of a request.
public enum Body: Sendable {
    /// No body.
    case none
    /// Bytes in memory, sent with a `Content-Length`.
    case bytes(Data)
    /// A file, read while it is sent; its size is taken when the attempt starts. Bytes beyond it fail the attempt.
    case file(URL)
    /// Chunks that are produced while they are sent, or received while they are read.
    // Indirect, so that the body of almost every request and response is not as large as a stream's (34 bytes → 17).
    indirect case stream(Body.Stream)

    package var isNone: Bool { if case .none = self { true } else { false } }

    /// Whether the bytes need not be read first.
    var isInMemory: Bool {
        switch self {
        case .none, .bytes: true
        case .file, .stream: false
        }
    }

    /// Whether the body has no bytes, as far as is known without reading it.
    public var isEmpty: Bool {
        switch self {
        case .none: true
        case .bytes(let data): data.isEmpty
        case .file, .stream: false
        }
    }

    /// Whether the body can be read again from its beginning. If not, no retry, redirect or refreshed token sends it again.
    public var isReplayable: Bool { chunks?.isReplayable ?? true }
    /// The connection of a response that switched protocols; `nil` for any other body.
    package var connection: (any RawConnection)? { chunks?.connection }
    private var chunks: ChunkSource? { if case .stream(let stream) = self { stream.chunks } else { nil } }

    /// The length in bytes; `nil` if it is not known without opening a file.
    public var length: Int64? {
        switch self {
        case .none: 0
        case .bytes(let data): Int64(data.count)
        case .file: nil
        case .stream(let stream): stream.length
        }
    }

    package var isDecoded: Bool { if case .stream(let stream) = self { stream.isDecoded } else { false } }

    /// The length, for which the size of a file is looked up; `nil` if it is not known.
    package func knownLength() throws -> Int64? {
        guard case .file(let url) = self else { return length }
        try url.checkIsLocalFile()
        return try LocalFile(reading: url.path).size
    }

    /// A body that is produced chunk by chunk. Each attempt opens it anew, if its source allows that.
    public struct Stream: Sendable {
        /// Reads up to `limit` bytes; an empty `Data` ends the body. Called on the transport's thread, or by the task that reads
        /// the body. It may read a file, but must not wait for a network or a lock.
        public typealias Read = @Sendable (_ limit: Int) throws -> Data

        /// The number of bytes, or `nil` for a chunked upload (RFC 9112 §7.1).
        public let length: Int64?
        /// Whether the transport has undone the content codings of a response's body. Default `false`. The response's
        /// `Content-Length`, ranges, validators and digests belong to the encoded bytes (RFC 9110 §8), and not to these.
        public var isDecoded = false
        package let source: Source

        package enum Source: Sendable {
            case reading(open: @Sendable () throws -> Read)
            case chunks(ChunkSource)
        }

        var chunks: ChunkSource? { if case .chunks(let source) = source { source } else { nil } }

        /// Makes a body that is read while it is sent. `open` starts from the beginning, once per attempt. Another number of
        /// bytes than a known length fails the attempt with ``TransportError/bodyUnreadable(_:)``.
        public init(length: Int64? = nil, open: @escaping @Sendable () throws -> Read) {
            self.length = length
            source = .reading(open: open)
        }

        package init(length: Int64?, _ chunks: ChunkSource) {
            self.length = length
            source = .chunks(chunks)
        }

        /// Chunks of any asynchronous sequence: another response's body, an `AsyncStream`, lines of a file. Another number of
        /// bytes than a known length fails the attempt.
        ///
        /// - Parameter sequence: makes the sequence anew, of the same bytes; called once per attempt. Make it inside the closure:
        ///   an `AsyncStream` made outside gives its elements once. Choose a boundary or a nonce outside. The attempt fails with
        ///   ``TransportError/bodyUnreadable(_:)`` if the sequence throws, if it has fewer bytes than an earlier attempt has read
        ///   (``BodyError/shrunk(expected:found:)``), or others among the first 64 (``BodyError/changed(offset:)``). What was
        ///   read counts for every call that sends this stream: make another stream for other bytes.
        public init<Chunks: AsyncSequence & Sendable>(length: Int64? = nil, _ sequence: @escaping @Sendable () throws -> Chunks)
        where Chunks.Element == Data {
            let earlier = Mutex(EarlierReadings())
            self.init(
                length: length,
                ChunkSource(isReplayable: true) {
                    var iterator = try sequence().makeAsyncIterator()
                    var count = 0
                    return {
                        let chunk = try await iterator.next(isolation: #isolation)
                        try earlier.withLock { try $0.check(chunk, at: count) }
                        count += chunk?.count ?? 0
                        return chunk
                    }
                })
        }
    }
}

/// What the attempts have read of a sequence that is made anew for each. It distinguishes the rest of a sequence from all of it.
private struct EarlierReadings {
    private static let kept = 64
    private var beginning = Data()
    private var longest = 0

    mutating func check(_ chunk: Data?, at offset: Int) throws {
        guard let chunk else {
            guard offset >= longest else { throw BodyError.shrunk(expected: longest, found: offset) }
            return
        }
        longest = max(longest, offset + chunk.count)
        guard offset < Self.kept else { return }
        let known = beginning.dropFirst(offset)
        if let other = zip(known, chunk).enumerated().first(where: { $1.0 != $1.1 }) {
            throw BodyError.changed(offset: offset + other.offset)
        }
        beginning += chunk.prefix(Self.kept - offset).dropFirst(known.count)
    }
}

package final class ChunkSource: Sendable {
    /// Gives the next chunk; `nil` at the end. Called by one task at a time.
    package typealias Next = () async throws -> Data?

    /// Whether the source can start again from the beginning.
    package let isReplayable: Bool
    /// What the chunks are made of, such as a form; `nil` if only the chunks are known.
    package let origin: (any Sendable)?
    /// The connection of a response that switched protocols; its bytes are the body.
    package let connection: (any RawConnection)?
    package let open: @Sendable () throws -> Next

    package init(
        isReplayable: Bool, origin: (any Sendable)? = nil, connection: (any RawConnection)? = nil,
        open: @escaping @Sendable () throws -> Next
    ) { (self.isReplayable, self.origin, self.connection, self.open) = (isReplayable, origin, connection, open) }
}

/// The bytes that a task reads before it lets other tasks run: the next chunk may always be at hand, so that its reader never
/// waits. As many such readers as cores kept every other task of the process from running.
package struct ReadingTurn {
    /// For 1 GiB the task yields 1,024 times.
    private static let size = 1 << 20
    /// The minimum for a chunk, because an empty one takes time, too.
    private static let least = 1 << 14
    private var left = size
    package init() {}

    package mutating func ends(after chunk: Data) -> Bool {
        left -= max(chunk.count, Self.least)
        guard left <= 0 else { return false }
        left = Self.size
        return true
    }
}

extension Body: AsyncSequence {
    public typealias Element = Data

    /// Reads a body once, from its beginning.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var next: ChunkSource.Next?
        private var failure: (any Error)?
        private var turn = ReadingTurn()

        init(_ open: () throws -> ChunkSource.Next?) {
            do {
                next = try open()
            } catch {
                failure = error
            }
        }

        /// The next chunk, never empty; `nil` at the end. Throws ``APIClientError`` for a response's body.
        public mutating func next() async throws -> Data? {
            if let failure { throw failure }
            while let chunk = try await next?() {
                if turn.ends(after: chunk) { await Task.yield() }
                if !chunk.isEmpty { return chunk }
                try Task.checkCancellation()
            }
            next = nil
            return nil
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator {
            switch self {
            case .none: return nil
            case .bytes(let data):
                var rest: Data? = data
                return {
                    defer { rest = nil }
                    return rest
                }
            case .file(let url):
                try url.checkIsLocalFile()
                let file = try LocalFile(reading: url.path)
                return { try file.read(upTo: 65_536).unlessEmpty }
            case .stream(let stream):
                switch stream.source {
                case .chunks(let source): return try source.open()
                case .reading(let open):
                    let read = try open()
                    return { try read(65_536).unlessEmpty }
                }
            }
        }
    }

    /// All bytes, at most `limit`. Throws ``BodyError/tooLarge(limit:)`` for more, and the error of the source.
    public func collect(upTo limit: Int) async throws -> Data {
        if case .bytes(let data) = self, data.count <= limit { return data }
        var all = Data()
        for try await chunk in self {
            guard all.count + chunk.count <= limit else { throw BodyError.tooLarge(limit: limit) }
            all += chunk
        }
        return all
    }

    struct DeadlinePassed: Error {}

    /// Reads the bytes that arrive until a deadline, at most `limit` of them. With them comes the reason why there are no more:
    /// `nil` at the body's end, ``BodyError/tooLarge(limit:)``, ``Body/DeadlinePassed`` or the error of the source.
    func gather(upTo limit: Int, until deadline: ContinuousClock.Instant) async -> (Data, (any Error)?) {
        // Not a group, which would wait for a sequence that ignores its cancellation.
        let buffer = ChunkBuffer(limit: .max, resume: {})
        let reader = Task {
            do {
                var count = 0
                for try await chunk in self {
                    buffer.offer(chunk)
                    count += chunk.count
                    if count > limit { throw BodyError.tooLarge(limit: limit) }
                }
                buffer.finish(.success(()))
            } catch {
                buffer.finish(.failure(error))
            }
        }
        let clock = Task {
            try await Task.sleep(until: deadline)
            buffer.finish(.failure(DeadlinePassed()))
        }
        defer {
            reader.cancel()
            clock.cancel()
            buffer.abandon()
        }
        var data = Data()
        do {
            while let chunk = try await buffer.next() { data += chunk.prefix(limit - data.count) }
            return (data, nil)
        } catch {
            return (data, error)
        }
    }
}

extension Data {
    fileprivate var unlessEmpty: Data? { isEmpty ? nil : self }
}

extension Body: Codable {
    private enum CodingKeys: CodingKey { case bytes, file }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let data = try container.decodeIfPresent(Data.self, forKey: .bytes) {
            self = .bytes(data)
        } else if let url = try container.decodeIfPresent(URL.self, forKey: .file) {
            self = .file(url)
        } else {
            self = .none
        }
    }

    /// Writes the body for ``init(from:)``. Throws `EncodingError.invalidValue` for a stream, which cannot be stored.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .none: break
        case .bytes(let data): try container.encode(data, forKey: .bytes)
        case .file(let url): try container.encode(url, forKey: .file)
        case .stream:
            let reason = "a stream cannot be stored; expected no body, bytes or a file"
            throw EncodingError.invalidValue(self, .init(codingPath: container.codingPath, debugDescription: reason))
        }
    }
}
