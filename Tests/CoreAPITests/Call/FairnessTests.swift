import TestSupport

@testable import CoreAPICore

/// Bodies whose next chunk is always at hand, so that their readers never have to wait.
@Suite("As many readers of a flood as the pool has threads", .closing, .serialized, .timeLimit(.minutes(3)))
struct FairnessTests {
    enum Source: CaseIterable { case file, reading, sequence, answer, upload }

    /// The readers' work of a whole flood. Not a time: other tests and processes may take most of that. Alone, twenty turns took
    /// 22 to 768 of its 10,000 or 100,000 chunks.
    private static let limit = Duration.seconds(10)

    @Test("let a task with a short sleep run between their chunks", arguments: Source.allCases)
    func others(from source: Source) async throws {
        let count = ProcessInfo.processInfo.activeProcessorCount
        let file = temporaryFile("flood")
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        // Without blocks on the disk.
        try FileHandle(forWritingTo: file).truncate(atOffset: 1 << 38)
        let server = try LoopbackServer.test(bodyLimit: 0) { request in
            guard request.path == "/flood" else { return .ok() }
            return [.sendHead(status: 200, headers: ["Content-Length": "\(1 << 40)"]), .sendEndlessly(Data(count: 1 << 20))]
        }
        let manager = Channel.test(server.url).manager
        // Slower than the network, so that the buffers of a response stay full, and those of an upload empty.
        let work = source == .answer || source == .upload ? Duration.milliseconds(2) : .microseconds(200)
        let flood = Flood(chunks: Int(Self.limit / work) * count, work: work)
        let ticks = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<count {
                group.addTask {
                    switch source {
                    case .file: try await flood.read(.file(file))
                    case .reading: try await flood.read(.stream(Body.Stream { { Data(count: $0) } }))
                    case .sequence: try await flood.read(.stream(Body.Stream { flood }))
                    case .answer: try await flood.read(manager.stream(TestEndpoint("flood")).value)
                    case .upload:
                        let body = Body.stream(Body.Stream { flood })
                        _ = try await manager.response(for: .upload(body), as: .data).value
                    }
                    return nil
                }
            }
            group.addTask {
                await flood.begins(count)
                var ticks = 0
                while ticks < 20, !flood.isOver {
                    try await Task.sleep(for: .milliseconds(1))
                    ticks += 1
                }
                flood.stop()
                return ticks
            }
            return try await group.reduce(0) { $0 + ($1 ?? 0) }
        }
        #expect(ticks == 20, "the sleeping task had \(ticks) of 20 turns beside \(flood.taken) chunks")
    }
}

/// Chunks without an end, which cost more time than the kit or the network needs for them.
private struct Flood: AsyncSequence, Sendable {
    private let chunks: Int
    private let work: Duration
    private let isStopped = Shared(false)
    /// The chunks so far, of all readers.
    private let count = Shared(0)
    private let begun: AsyncStream<Void>
    private let tell: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - chunks: after so many it ends at the latest.
    ///   - work: the time that a reader takes for each chunk, without giving up its thread.
    init(chunks: Int, work: Duration) {
        (self.chunks, self.work) = (chunks, work)
        (begun, tell) = AsyncStream.makeStream()
    }

    var isOver: Bool { isStopped.current || taken > chunks }
    var taken: Int { count.current }

    func stop() { isStopped.change { $0 = true } }

    func begins(_ count: Int) async {
        var left = count
        for await _ in begun {
            left -= 1
            if left == 0 { return }
        }
    }

    func read(_ body: Body) async throws {
        var isFirst = true
        for try await _ in body {
            if isFirst { tell.yield() }
            isFirst = false
            toil()
            if isOver { return }
        }
    }

    private func toil() {
        _ = count.next()
        let end = ContinuousClock.now + work
        while .now < end {}
    }

    func makeAsyncIterator() -> Iterator { Iterator(flood: self) }

    struct Iterator: AsyncIteratorProtocol {
        let flood: Flood
        private var isFirst = true

        init(flood: Flood) { self.flood = flood }

        mutating func next() async throws -> Data? {
            if isFirst { flood.tell.yield() }
            isFirst = false
            flood.toil()
            return flood.isOver ? nil : Data(count: 65_536)
        }
    }
}
