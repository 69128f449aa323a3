internal import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// Reads a request's body from an asynchronous sequence into a buffer, from which the loop takes the bytes to send.
final class BodyPump {
    let buffer: ChunkBuffer
    private let task: Task<Void, Never>

    /// - Parameter resume: tells the loop that there are bytes to send.
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

    /// The loop needs no more of the body.
    deinit {
        task.cancel()
        buffer.abandon()
    }
}
