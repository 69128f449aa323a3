import TestSupport

/// Chunks of 64 KiB, each with memory of its own, as fast as their reader takes them.
struct CountedChunks: AsyncSequence, Sendable {
    static let size = 1 << 16

    /// Counts the bytes that readers have taken, and the readers that were not released yet.
    final class Counter: Sendable {
        private let counts = Mutex((bytes: 0, readers: 0))
        private let changed: AsyncStream<Int>.Continuation
        private let changes: AsyncStream<Int>

        init() { (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

        var bytes: Int { counts.withLock { $0.bytes } }

        fileprivate func take() { counts.withLock { $0.bytes += CountedChunks.size } }

        fileprivate func change(by number: Int) {
            counts.withLock { counts in
                counts.readers += number
                changed.yield(counts.readers)
            }
        }

        /// Waits until the readers take no more.
        ///
        /// - Returns: the bytes that they have taken, in all.
        func settled() async throws -> Int {
            var before = 0
            // That no byte is taken gives no signal.
            while case let now = bytes, now != before || now == 0 {
                before = now
                try await Task.sleep(for: .milliseconds(300))
            }
            return before
        }

        /// Waits until each reader is released. At least one must have begun; called once.
        func released() async { for await readers in changes where readers == 0 { return } }
    }

    final class Reader: AsyncIteratorProtocol {
        private let counter: Counter
        private var left: Int

        init(_ counter: Counter, _ count: Int) {
            self.counter = counter
            left = count
            counter.change(by: 1)
        }

        deinit { counter.change(by: -1) }

        func next() async throws -> Data? {
            guard left > 0 else { return nil }
            left -= 1
            counter.take()
            return Data(repeating: 0x62, count: CountedChunks.size)
        }
    }

    let counter: Counter
    var count = Int.max

    func makeAsyncIterator() -> Reader { Reader(counter, count) }

    /// - Parameter hasLength: whether the body announces its length.
    static func body(_ counter: Counter, count: Int = .max, hasLength: Bool = false) -> Body {
        .stream(Body.Stream(length: hasLength ? Int64(count * size) : nil) { CountedChunks(counter: counter, count: count) })
    }
}
