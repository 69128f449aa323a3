internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// A request's body as libcurl's read callback consumes it. It starts from the beginning again if the request is sent again.
struct UploadBody: ~Copyable {
    enum ReadError: LocalizedError {
        case endedEarly(expected: Int64, got: Int64)
        case longerThan(Int64)
        case notAFile(String)
        case cannotBeginAgain

        var errorDescription: String? {
            switch self {
            case .endedEarly(let expected, let got): "expected \(expected) bytes, but the body ended after \(got)"
            case .longerThan(let expected): "expected \(expected) bytes, but the body goes on after them"
            case .notAFile(let path): "'\(path)' is not a regular file"
            case .cannotBeginAgain: "it would have to be sent again, and can be read only once"
            }
        }
    }

    /// Reads a stream that is declared empty to its end, in the time that the call has.
    ///
    /// - Throws: ``TransportError/bodyUnreadable(_:)`` for one that is not empty, `CancellationError`, or the call's timeout.
    static func check(empty stream: Body.Stream, of request: Request) async throws {
        let excess: Data?
        do {
            switch stream.source {
            case .reading(let open): excess = try open()(1)
            case .chunks(let source): excess = try await first(of: source, until: request.deadline)
            }
        } catch is DeadlinePassed {
            throw TransportError.timedOut(.total, after: request.timeout.total)
        } catch {
            try Task.checkCancellation()
            throw TransportError.bodyUnreadable(error)
        }
        if excess?.isEmpty == false { throw TransportError.bodyUnreadable(ReadError.longerThan(0)) }
    }

    private struct DeadlinePassed: Error {}

    /// The first chunk that is not empty. The sequence may ignore that nothing waits for it any more.
    private static func first(of source: ChunkSource, until deadline: ContinuousClock.Instant) async throws -> Data? {
        let pump = BodyPump(source) {}
        let buffer = pump.buffer
        let clock = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            buffer.finish(.failure(DeadlinePassed()))
        }
        defer {
            clock.cancel()
            withExtendedLifetime(pump) {}
        }
        return try await buffer.next()
    }

    private let body: Body
    private var sent: Int64 = 0 { didSet { observer?.sent(sent) } }
    private var observer: SendingObserver?
    private var file: LocalFile?
    private var stream: Body.Stream.Read?
    /// Reads an asynchronous sequence.
    private var pump: BodyPump?
    /// The piece that completes the length, held until the sequence has ended.
    private var last: Data?
    private var resume: @Sendable () -> Void = {}
    /// Whether libcurl waits for more bytes to send.
    var isHeld = false
    /// Whether libcurl has taken the last byte.
    private(set) var isAtEnd = false
    /// Bytes that a stream returned beyond the requested number.
    private var leftover = Data()
    /// The bytes that will be sent; `nil` for a chunked upload (RFC 9112 §7.1).
    private(set) var length: Int64? = 0

    init(_ body: Body) { self.body = body }

    mutating func close() { (file, stream, pump, last, leftover) = (nil, nil, nil, nil, Data()) }

    /// Opens the source and finds its length. Called before the exchange starts, and before it starts again.
    ///
    /// - Parameter exchange: whose loop is called when there are more bytes to send, after ``read(into:)`` had none.
    mutating func open(for exchange: Exchange) throws {
        // A dead connection took nothing: a sequence that can be read once goes on where it is.
        if pump != nil, sent == 0, last == nil {
            (isHeld, isAtEnd) = (false, false)
            return
        }
        guard sent == 0 || body.isReplayable else { throw ReadError.cannotBeginAgain }
        close()
        if !body.isNone { observer = exchange.request.request.modifier() }
        sent = 0
        isAtEnd = false
        switch body {
        case .none: length = 0
        case .bytes(let data): length = Int64(data.count)
        case .stream(let source):
            length = source.length.flatMap { $0 >= 0 ? $0 : nil }
            // Only here, because the first weak reference slows every later count of references.
            try begin(source) { [weak exchange] in exchange?.callLoop() }
        case .file(let url):
            try url.checkIsLocalFile()
            do throws(FileFailure) {
                file = try LocalFile(reading: url.path)
            } catch {
                guard [EISDIR, ESPIPE].contains(error.code) else { throw error }
                throw ReadError.notAFile(error.path)
            }
            length = file?.size
            // libcurl does not read a body of length 0.
            if length == 0, try !byteAfterEnd().isEmpty { throw ReadError.longerThan(0) }
        }
    }

    private mutating func begin(_ stream: Body.Stream, _ resume: @escaping @Sendable () -> Void) throws {
        self.resume = resume
        (pump, last, isHeld) = (nil, nil, false)
        switch stream.source {
        case .reading(let open): self.stream = try open()
        case .chunks(let source): pump = BodyPump(source, resume: resume)
        }
    }

    /// Copies the next bytes; 0 at the end, `nil` if they are not available yet. A body with a length gives exactly that many, or
    /// throws.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        let limit = Int(min(Int64(buffer.count), length.map { $0 - sent } ?? .max))
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<limit])
        if pump != nil {
            guard let count = try takePumped(room) else {
                isHeld = true
                return nil
            }
            sent += Int64(count)
            isAtEnd = count == 0 || sent == length
            return count
        }
        let count = limit == 0 ? 0 : try take(room)
        sent += Int64(count)
        isAtEnd = count == 0 || sent == length
        guard let length else { return count }
        if count == 0, sent < length { throw ReadError.endedEarly(expected: length, got: sent) }
        if sent == length, leftover.isEmpty { leftover = try byteAfterEnd() }
        if sent == length, !leftover.isEmpty { throw ReadError.longerThan(length) }
        return count
    }

    /// The piece that completes the length waits for the sequence's end, because a fully sent request cannot be taken back.
    private mutating func takePumped(_ room: UnsafeMutableRawBufferPointer) throws -> Int? {
        while true {
            switch pump?.buffer.take(atMost: last == nil ? room.count : 1) ?? .end {
            case .nothing: return nil
            case .failed(let error): throw error
            case .chunk(let chunk):
                if let length, last != nil { throw ReadError.longerThan(length) }
                guard let length, sent + Int64(chunk.count) == length else { return chunk.copyBytes(to: room) }
                last = chunk
            case .end:
                guard let chunk = last else {
                    if let length, sent < length { throw ReadError.endedEarly(expected: length, got: sent) }
                    return 0
                }
                last = nil
                return chunk.copyBytes(to: room)
            }
        }
    }

    mutating func rewind() throws {
        guard sent > 0 || last != nil else { return }
        sent = 0
        isAtEnd = false
        leftover = Data()
        try file?.seek(to: 0)
        guard case .stream(let source) = body else { return }
        guard body.isReplayable else { throw ReadError.cannotBeginAgain }
        try begin(source, resume)
    }

    /// A byte beyond the length, if there is one: the file has grown, or it is one of `/proc`, whose size is 0.
    private func byteAfterEnd() throws -> Data { try stream?(1) ?? file?.read(upTo: 1) ?? Data() }

    private mutating func take(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        switch body {
        case .none: return 0
        case .bytes(let data):
            let start = data.startIndex + Int(sent)
            return data.copyBytes(to: buffer, from: start..<start + min(buffer.count, data.count - Int(sent)))
        case .file: return try file?.read(into: buffer) ?? 0
        case .stream:
            if leftover.isEmpty { leftover = try stream?(buffer.count) ?? Data() }
            let count = leftover.copyBytes(to: buffer)
            leftover = leftover.dropFirst(count)
            return count
        }
    }
}

/// Reads a request's body from an asynchronous sequence into a buffer, from which the loop takes the bytes to send.
final class BodyPump {
    let buffer: ChunkBuffer
    private let task: Task<Void, Never>

    init(_ source: ChunkSource, resume: @escaping @Sendable () -> Void) {
        let buffer = ChunkBuffer(limit: CurlBodyStream.room, resume: resume)
        self.buffer = buffer
        task = Task {
            do {
                let next = try source.open()
                var turn = ReadingTurn()
                while let chunk = try await next() {
                    try Task.checkCancellation()
                    if !chunk.isEmpty { try await buffer.push(chunk) }
                    if turn.ends(after: chunk) { await Task.yield() }
                }
                buffer.finish(.success(()))
            } catch {
                buffer.finish(.failure(error))
            }
        }
    }

    deinit {
        task.cancel()
        buffer.abandon()
    }
}
