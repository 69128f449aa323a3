internal import CoreAPICoding
internal import CoreAPICore
internal import CoreAPIRedaction
internal import Foundation

/// The bytes and items that a reader has received of a body.
struct StreamCount {
    var bytes: Int64 = 0
    var items = 0

    var streamed: APIClientError.Context.Streamed { APIClientError.Context.Streamed(bytes: bytes, items: items) }

    func defect(_ reason: StreamError.Reason) -> StreamError { StreamError(reason: reason, bytes: bytes, items: items) }
}

/// Reads a body and counts its bytes. Its errors name the bytes and items before them.
struct CountedBody {
    private var chunks: Body.AsyncIterator
    private let context: StreamContext
    private var isOver = false
    var count = StreamCount()

    init(_ body: Body, _ context: StreamContext) {
        chunks = body.makeAsyncIterator()
        self.context = context
    }

    /// The next chunk; `nil` at the end, and after an error.
    mutating func next() async throws -> Data? {
        guard !isOver else { return nil }
        isOver = true
        do {
            guard let chunk = try await chunks.next() else { return nil }
            isOver = false
            let before = count.bytes
            count.bytes += Int64(chunk.count)
            // While a server floods, reading never waits. Two such tasks kept all other tasks of two cores from running.
            if before >> 18 != count.bytes >> 18 { await Task.yield() }
            return chunk
        } catch let error as APIClientError {
            throw error.after(count)
        }
    }

    /// The error of a defect, after the bytes and items so far.
    ///
    /// - Parameter bytes: those that cannot be read.
    func failure(_ reason: StreamError.Reason, of bytes: Data = Data()) -> any Error {
        context.failure(reason, count, of: bytes)
    }
}

/// The origin of a body. It decides which errors the body's sequences throw.
enum StreamContext: Sendable {
    /// A body alone.
    case body
    /// The response to a call.
    case call(Response<Void>)

    init<Value>(_ response: Response<Value>) { self = .call(response.with(response.result.map { _ in })) }

    var coder: BodyCoder { response?.request?.coder ?? response?.call.channel.coder ?? .json }
    var head: ResponseHead? { response?.head }
    var redaction: Redaction { response?.redaction ?? Redaction() }

    private var response: Response<Void>? {
        if case .call(let response) = self { response } else { nil }
    }

    /// The error of a defect.
    ///
    /// - Parameter bytes: those that cannot be read; the channel's filter looks for its own error in them.
    func failure(_ reason: StreamError.Reason, _ count: StreamCount, of bytes: Data = Data()) -> any Error {
        guard let response else { return count.defect(reason) }
        return response.failure(decodingFailure(reason, count, of: bytes), of: bytes, after: count.streamed)
    }

    func decodingFailure(_ reason: StreamError.Reason, _ count: StreamCount, of bytes: Data) -> DecodingFailure {
        if case .undecodable(let failure) = reason { return failure }
        return DecodingFailure(count.defect(reason), expected: "the body", body: bytes, redaction: redaction)
    }
}
