public import CoreAPI
public import Foundation

extension Data {
    /// Bytes that gzip cannot compress, the same in every run.
    public static func noise(_ count: Int, seed: UInt64 = 1) -> Data {
        var numbers = SplitMix(seed)
        var data = Data(capacity: count + 8)
        while data.count < count { Swift.withUnsafeBytes(of: numbers.next()) { data.append(contentsOf: $0) } }
        return data.prefix(count)
    }

    /// A sequence of pieces of this data.
    public func pieces(_ size: Int) -> AsyncStream<Data> {
        let data = self
        let offset = Shared(0)
        return AsyncStream {
            offset.take { offset in
                guard offset < data.count else { return nil }
                defer { offset = Swift.min(offset + size, data.count) }
                return Data(data.dropFirst(offset).prefix(size))
            }
        }
    }
}

extension Body {
    /// A body that arrives in these pieces.
    public static func pieces(_ pieces: [Data], length: Int64? = nil) -> Body {
        .stream(
            Body.Stream(length: length) {
                AsyncStream { continuation in
                    for piece in pieces { continuation.yield(piece) }
                    continuation.finish()
                }
            })
    }

    /// A body that arrives in pieces of one size.
    public static func cut(_ bytes: Data, every size: Int, length: Int64? = nil) -> Body {
        .stream(Body.Stream(length: length) { bytes.pieces(size) })
    }

    /// A body that gives some bytes and throws an error.
    public static func breaking(with error: any Error, after bytes: Data = Data(count: 10), length: Int64? = nil) -> Body {
        .stream(
            Body.Stream(length: length) {
                AsyncThrowingStream<Data, any Error> { continuation in
                    continuation.yield(bytes)
                    continuation.finish(throwing: error)
                }
            })
    }
}

extension AsyncSequence {
    public func all() async throws -> [Element] {
        var all: [Element] = []
        for try await element in self { all.append(element) }
        return all
    }
}
