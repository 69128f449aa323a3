internal import CoreAPICore
internal import CoreAPILock
internal import Foundation

/// The body of an answer on its way from the loop to the task that reads it. The loop offers what comes; while the task is
/// behind, it lets libcurl read no further from the connection.
final class TransferStream: Sendable {
    /// Bytes that wait for the task at the most, beyond one piece of libcurl's. A fuller buffer costs memory, a smaller one wakes
    /// more often: 0.12 switches of thread a piece of 16 KiB at this size, 0.38 at a quarter of it.
    static let room = 256 * 1_024

    /// What the transfer came to after its head.
    struct End: Sendable {
        let end: CurlOutcome.End
        /// As in ``CurlOutcome/isEndAnnounced``.
        let isEndAnnounced: Bool?
    }

    let buffer: ChunkBuffer
    private let end = Mutex<End?>(nil)

    /// - Parameters:
    ///   - goOn: tells the loop that there is room.
    ///   - abandoned: tells the loop that no task reads any more.
    init(goOn: @escaping @Sendable () -> Void, abandoned: @escaping @Sendable () -> Void) {
        buffer = ChunkBuffer(limit: Self.room, goOn: goOn, abandoned: abandoned)
    }

    /// From the loop: nothing more comes.
    func finish(_ end: End) {
        self.end.withLock { $0 = end }
        buffer.finish(.success(()))
    }

    /// What it came to; known once the buffer is empty and at its end.
    var whatBecame: End? { end.withLock { $0 } }
}

/// Reads a streamed body in the task that wants it: takes the codings off and checks how the body ended.
///
/// `@unchecked`: `next()` is called by one task at a time.
final class StreamReader: @unchecked Sendable {
    /// Bytes of a coded body that are decoded at once; each makes some thousand at the most.
    private static let slice = 1_024
    /// Bytes that such a slice may become, whatever codings lie within each other.
    private static let sliceLimit = 16 * 1_024 * 1_024

    private let attempt: Attempt
    private let head: ResponseHead
    fileprivate let stream: TransferStream
    private let decoder: ContentDecoder?
    /// What of the body's end is known only from the head; `nil` for an end that is right.
    private let defect: @Sendable (_ received: Int64, _ isEndAnnounced: Bool?) -> TransportError?
    private let release: @Sendable () -> Void
    private let wasOpened = Mutex(false)
    private var coded = Data()
    private var received: Int64 = 0
    private var delivered: Int64 = 0

    init(
        _ attempt: Attempt, _ head: ResponseHead, _ stream: TransferStream, decoder: ContentDecoder?,
        defect: @escaping @Sendable (_ received: Int64, _ isEndAnnounced: Bool?) -> TransportError?,
        release: @escaping @Sendable () -> Void
    ) {
        self.attempt = attempt
        self.head = head
        self.stream = stream
        self.decoder = decoder
        self.defect = defect
        self.release = release
    }

    /// A body that is dropped unread ends its transfer.
    deinit {
        stream.buffer.abandon()
        release()
    }

    /// - Throws: ``BodyReadTwice`` a second time: what came over the network is there once.
    func open() throws -> ChunkSource.Next {
        let isFirst = wasOpened.withLock { wasOpened in
            defer { wasOpened = true }
            return !wasOpened
        }
        guard isFirst else { throw BodyReadTwice() }
        let iteration = Iteration(of: self)
        return { try await iteration.reader.next() }
    }

    /// Lives as long as an iterator: leaving the loop ends the transfer, even where the body itself is kept.
    private final class Iteration {
        let reader: StreamReader

        init(of reader: StreamReader) {
            self.reader = reader
        }

        deinit {
            reader.stream.buffer.abandon()
        }
    }

    /// - Throws: ``APIClientError``.
    func next() async throws -> Data? {
        do {
            while true {
                if let decoded = try decodeSlice() { return deliver(decoded) }
                guard let chunk = try await stream.buffer.next() else {
                    if let error = failure() { throw error }
                    return nil
                }
                received += Int64(chunk.count)
                guard decoder != nil else { return deliver(chunk) }
                coded = chunk
            }
        } catch {
            stream.buffer.abandon()
            throw APIClientError(error, ErrorContext(attempt.request, head: head))
        }
    }

    private func deliver(_ chunk: Data) -> Data {
        delivered += Int64(chunk.count)
        attempt.tell { listener in
            let expected = decoder == nil ? head.headers[.contentLength].flatMap { Int64($0) } : nil
            listener.body(CallEvent.BodyProgress(attempt: attempt, received: delivered, expected: expected))
        }
        return chunk
    }

    /// Decodes the next slice; `nil` when every byte that came is decoded.
    private func decodeSlice() throws -> Data? {
        guard let decoder else { return nil }
        while !coded.isEmpty {
            let slice = coded.prefix(Self.slice)
            coded = coded.dropFirst(slice.count)
            let decoded = try decoder.decode(slice, atMost: Self.sliceLimit)
            if !decoded.isEmpty { return decoded }
        }
        return nil
    }

    /// What was wrong with the end.
    private func failure() -> (any Error)? {
        guard let end = stream.whatBecame else { return TransportError.closed }
        switch end.end {
        case .cancelled: return CancellationError()
        case .failed(let error): return error
        case .complete:
            if let defect = defect(received, end.isEndAnnounced) { return defect }
            guard decoder?.isFinished == false, received > 0 else { return nil }
            return TransportError.truncated(received: received, expected: nil)
        }
    }
}
