internal import CoreAPICoding
internal import CoreAPICore
internal import CoreAPIRedaction
internal import Foundation

/// The bytes and items that a reader has received of a body.
struct StreamCount {
    var bytes: Int64 = 0
    var items = 0

    var streamed: APIClientError.Context.Streamed { APIClientError.Context.Streamed(bytes: bytes, items: items) }
    func error(_ reason: StreamError.Reason) -> StreamError { StreamError(reason: reason, bytes: bytes, items: items) }
}

/// Reads a body and counts its bytes. Its errors name the bytes and items before them.
struct CountedBody {
    private var chunks: Body.AsyncIterator
    private var isOver = false
    let context: StreamContext
    var count: StreamCount

    init(_ body: Body, _ context: StreamContext, _ count: StreamCount = StreamCount()) {
        (chunks, self.context, self.count) = (body.makeAsyncIterator(), context, count)
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

    /// The error after the bytes and items so far, of bytes that cannot be read.
    func failure(_ reason: StreamError.Reason, of bytes: Data = Data()) -> any Error { context.failure(reason, count, of: bytes) }
}

/// The origin of a body, which may stand alone. It decides which errors the body's sequences throw.
enum StreamContext: Sendable {
    case body
    case call(Response<Void>)

    init<Value>(_ response: Response<Value>) { self = .call(response.with(response.result.map { _ in })) }
    private var response: Response<Void>? { if case .call(let response) = self { response } else { nil } }
    var coder: BodyCoder { response?.request?.coder ?? response?.call.channel.coder ?? .json }
    var head: ResponseHead? { response?.head }
    var redaction: Redaction { response?.redaction ?? Redaction() }

    /// The error that the reader throws. In the bytes that cannot be read the channel's filter looks for its own error.
    func failure(_ reason: StreamError.Reason, _ count: StreamCount, of bytes: Data = Data()) -> any Error {
        guard let response else { return count.error(reason) }
        return response.failure(decodingFailure(reason, count, of: bytes), of: bytes, after: count.streamed)
    }

    func decodingFailure(_ reason: StreamError.Reason, _ count: StreamCount, of bytes: Data) -> DecodingFailure {
        if case .undecodable(let failure) = reason { return failure }
        return DecodingFailure(count.error(reason), expected: "the body", body: bytes, redaction: redaction)
    }
}
