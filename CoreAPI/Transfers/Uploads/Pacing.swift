public import CoreAPICore
internal import Foundation

extension Body {
    /// This body, read at a limited rate.
    func paced(bytesPerSecond: Int) throws -> Body {
        if isNone { return self }
        let (source, length, rate) = (self, try knownLength(), Swift.max(1, bytesPerSecond))
        let chunks = ChunkSource(isReplayable: isReplayable) {
            var iterator = source.makeAsyncIterator()
            var rest = Data()
            var pace = Pace(bytesPerSecond: rate)
            return {
                if rest.isEmpty {
                    guard let chunk = try await iterator.next() else { return nil }
                    rest = chunk
                }
                let piece = rest.prefix(pace.piece)
                rest = rest.dropFirst(piece.count)
                try await pace.wait(for: piece.count)
                return piece
            }
        }
        return .stream(Body.Stream(length: length, chunks))
    }
}

/// Spreads bytes evenly. A slow source causes no burst later.
private struct Pace {
    let bytesPerSecond: Int
    private var due = ContinuousClock.now

    init(bytesPerSecond: Int) {
        self.bytesPerSecond = bytesPerSecond
    }

    /// The number of bytes in a twentieth of a second.
    var piece: Int { min(max(bytesPerSecond / 20, 1), 65_536) }

    /// Waits until these bytes may be sent.
    mutating func wait(for count: Int) async throws {
        due = max(due, .now) + .seconds(1) * count / bytesPerSecond
        try await Task.sleep(until: due, tolerance: .zero)
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
