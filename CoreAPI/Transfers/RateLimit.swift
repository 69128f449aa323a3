public import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

/// Limits all readers of a body, or of several bodies together, to a number of bytes per second.
final class RateLimit: Sendable {
    private let bytesPerSecond: Int
    /// How much of a pause is caught up, by a burst.
    private let caughtUp: Duration
    /// The time at which the bytes so far are due.
    private let due = Mutex(ContinuousClock.now)

    init(_ bytesPerSecond: Int, catchingUp caughtUp: Duration = .zero) {
        (self.bytesPerSecond, self.caughtUp) = (max(bytesPerSecond, 1), caughtUp)
    }

    /// The number of bytes in a twentieth of a second.
    var piece: Int { min(max(bytesPerSecond / 20, 1), 65_536) }

    /// Waits until these bytes are due. Meanwhile nothing more is read, so the other side waits, too.
    func wait(for count: Int) async throws {
        let time = due.withLock { due in
            due = max(due, .now - caughtUp) + .seconds(1) * count / bytesPerSecond
            return due
        }
        if time > .now { try await Task.sleep(until: time, tolerance: .zero) }
    }
}

extension Body {
    /// This body, read at a limited rate.
    func paced(bytesPerSecond: Int) throws -> Body {
        if isNone { return self }
        let (source, length) = (self, try knownLength())
        let chunks = ChunkSource(isReplayable: isReplayable) {
            let limit = RateLimit(bytesPerSecond)
            var iterator = source.makeAsyncIterator()
            var rest = Data()
            return {
                if rest.isEmpty {
                    guard let chunk = try await iterator.next() else { return nil }
                    rest = chunk
                }
                let piece = rest.prefix(limit.piece)
                rest = rest.dropFirst(piece.count)
                try await limit.wait(for: piece.count)
                return piece
            }
        }
        return .stream(Body.Stream(length: length, chunks))
    }
}

extension InputEncoding {
    /// The body that this encoding writes, read at most at this rate. A body in memory becomes a stream, so a middleware cannot
    /// sign its bytes.
    public func limited(toBytesPerSecond rate: Int) -> InputEncoding {
        InputEncoding(name) { parameters, request in
            try self(parameters, into: &request)
            request.body = try request.body.paced(bytesPerSecond: rate)
        }
    }
}
