internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// The body of a response on its way from the loop to the task that reads it. While the task is behind, the loop keeps libcurl
/// from reading further from the connection. Of a raw connection, the bytes of both directions.
///
/// `@unchecked`: the variables are the loop's.
final class CurlBodyStream: @unchecked Sendable {
    /// The bytes that may wait for the task, beyond one piece of libcurl's: four receive buffers of a stream
    /// (``CurlHandle/bufferSize(inFlight:isSecure:streamsBody:)``). A larger one costs memory, a smaller one more wake-ups.
    static let room = 512 * 1_024

    /// How the exchange ended after its head.
    struct End: Sendable {
        let end: ExchangeOutcome.End
        /// As in ``ExchangeOutcome/isEndAnnounced``.
        let isEndAnnounced: Bool?
        let trailers: [UInt8]
        /// As ``ExchangeMetrics/total``, for the whole exchange.
        let total: Duration?
    }

    let buffer: ChunkBuffer
    /// The bytes for a raw connection; `nil` for an exchange.
    let toSend: ChunkBuffer?
    private let end = Mutex<End?>(nil)
    /// Whether libcurl is paused until the task has taken the waiting bytes.
    var isHeld = false
    /// Whether its reader is to be woken when the turn ends.
    var hasChunks = false

    /// - Parameters:
    ///   - sends: whether it is a raw connection.
    ///   - resume: notifies the loop that there is room.
    ///   - abandoned: notifies the loop that the task has stopped reading.
    init(sends: Bool, resume: @escaping @Sendable () -> Void, abandoned: @escaping @Sendable () -> Void) {
        buffer = ChunkBuffer(limit: Self.room, resume: resume, abandoned: abandoned)
        toSend = sends ? ChunkBuffer(limit: RawSocket.room, resume: resume) : nil
    }

    /// Called by the loop when no more bytes follow. The first end counts.
    func finish(_ end: End) {
        self.end.withLock { $0 = $0 ?? end }
        buffer.finish(.success(()))
    }

    /// Called by the loop when nothing can be sent either.
    func close(_ end: End) {
        finish(end)
        toSend?.abandon()
    }

    /// How the exchange ended; known once the buffer is empty and finished.
    var outcome: End? { end.withLock { $0 } }
}

/// Reads a streamed body in its task: decodes its codings and checks how the body ended.
///
/// `@unchecked`: `next()` is called by one task at a time.
final class StreamReader: @unchecked Sendable {
    /// The bytes of a coded body that are decoded at once; each coding makes at most some thousand times as many.
    private static let slice = 1_024
    /// Half of the bytes that such a slice may become, with any nesting of codings.
    private static let sliceLimit = 16 * 1_024 * 1_024

    private let attempt: Attempt
    private let response: ResponseHeadParser.Parsed
    private let stream: CurlBodyStream
    private let decoder: ContentDecoder?
    private let interimAndTrailers: InterimAndTrailers
    private let totalAtHead: Duration
    private let release: @Sendable () -> Void
    private var coded = Data()
    private var isOver = false
    private var received: Int64 = 0
    private var delivered: Int64 = 0

    init(
        _ attempt: Attempt, _ response: ResponseHeadParser.Parsed, _ stream: CurlBodyStream, decoder: ContentDecoder?,
        interimAndTrailers: InterimAndTrailers, totalAtHead: Duration, release: @escaping @Sendable () -> Void
    ) {
        (self.attempt, self.response, self.stream, self.decoder) = (attempt, response, stream, decoder)
        (self.interimAndTrailers, self.totalAtHead, self.release) = (interimAndTrailers, totalAtHead, release)
    }

    /// Releasing an unread body ends its exchange.
    deinit {
        stream.buffer.abandon()
        release()
    }

    func open() throws -> ChunkSource.Next {
        let iteration = try ChunkBuffer.Iteration(over: stream.buffer)
        return {
            defer { withExtendedLifetime(iteration) {} }
            return try await self.next()
        }
    }

    /// The next bytes; `nil` at the end, and after an error.
    ///
    /// Never on the caller's actor: decompression and listeners take time.
    ///
    /// - Throws: ``APIClientError``.
    @concurrent
    func next() async throws -> Data? {
        guard !isOver else { return nil }
        do {
            while true {
                if let decoded = try decodeSlice() { return deliver(decoded) }
                guard let chunk = try await stream.buffer.next() else {
                    try end()
                    return nil
                }
                received += Int64(chunk.count)
                guard decoder != nil else { return deliver(chunk) }
                coded = chunk
            }
        } catch {
            // Bytes behind those that cannot be decoded may look like bytes of the body.
            (isOver, coded) = (true, Data())
            stream.buffer.abandon()
            throw APIClientError(
                error, APIClientError.Context(attempt.request, head: response.head).after(.init(bytes: delivered, items: 0)))
        }
    }

    private func deliver(_ chunk: Data) -> Data {
        delivered += Int64(chunk.count)
        attempt.notify(.body(attempt, received: delivered, expected: expected))
        return chunk
    }

    private var expected: Int64? { decoder == nil ? response.head.headers[.contentLength].flatMap { Int64($0) } : nil }

    /// Decodes the next slice; `nil` if all received bytes are decoded.
    private func decodeSlice() throws -> Data? {
        guard let decoder else { return nil }
        while !coded.isEmpty {
            let slice = coded.prefix(Self.slice)
            coded = coded.dropFirst(slice.count)
            do throws(TransportError) {
                let decoded = try decoder.decode(slice, atMost: Self.sliceLimit)
                if !decoded.isEmpty { return decoded }
            } catch .responseTooLarge {
                let reason = "\(slice.count) bytes of its coded form become more than \(2 * Self.sliceLimit)"
                throw TransportError.malformedResponse(reason: reason)
            }
        }
        return nil
    }

    /// Keeps what is known at the body's end, and checks that it is a correct one.
    private func end() throws {
        guard let end = stream.outcome else { throw TransportError.closed }
        if let total = end.total {
            interimAndTrailers.streamed = (received: received, afterHead: max(.zero, total - totalAtHead))
        }
        switch end.end {
        case .cancelled: throw CancellationError()
        // The loop does not count the bytes that it hands on.
        case .failed(.truncated(_, let expected)): throw TransportError.truncated(received: received, expected: expected)
        case .failed(let error): throw error
        case .complete:
            if let error = response.endError(received, end.isEndAnnounced) { throw error }
            if decoder?.isFinished == false, received > 0 { throw TransportError.truncated(received: received, expected: nil) }
            if !end.trailers.isEmpty { interimAndTrailers.trailers = ResponseHeadParser.trailers(end.trailers) }
        }
    }
}
