import Foundation
import NetworkerCommand

/// Limits an operation. On timeout it cancels the operation and does not wait.
///
/// A task group would wait for the operation. That is not needed here, because the process ends anyway.
struct Deadline: Sendable {
    let limit: Duration

    /// The operation's result.
    ///
    /// - Throws: the operation's error, or ``Exceeded``.
    func run<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let (first, announce) = AsyncThrowingStream<Value, any Error>.makeStream()
        let work = Task {
            do {
                announce.yield(try await operation())
                announce.finish()
            } catch {
                announce.finish(throwing: error)
            }
        }
        let clock = Task {
            try await Task.sleep(for: limit)
            announce.finish(throwing: Exceeded(limit: limit))
        }
        defer {
            work.cancel()
            clock.cancel()
        }
        for try await value in first { return value }
        throw CancellationError()
    }

    /// The time is up.
    struct Exceeded: Error, Hashable, LocalizedError {
        let limit: Duration

        var errorDescription: String? { "not finished within \(limit.readable)" }
    }
}
