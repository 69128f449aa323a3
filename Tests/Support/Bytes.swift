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
            var piece: Data?
            offset.change { offset in
                guard offset < data.count else { return }
                piece = Data(data.dropFirst(offset).prefix(size))
                offset += size
            }
            return piece
        }
    }
}

extension Body {
    /// A body that arrives in these pieces.
    public static func pieces(_ pieces: [Data]) -> Body {
        .stream(
            Body.Stream {
                AsyncStream { continuation in
                    for piece in pieces { continuation.yield(piece) }
                    continuation.finish()
                }
            })
    }

    /// A body that arrives in pieces of one size.
    public static func cut(_ bytes: Data, every size: Int) -> Body {
        .pieces(stride(from: 0, to: bytes.count, by: size).map { Data(bytes.dropFirst($0).prefix(size)) })
    }
}

extension AsyncSequence {
    public func all() async throws -> [Element] {
        var all: [Element] = []
        for try await element in self { all.append(element) }
        return all
    }
}
