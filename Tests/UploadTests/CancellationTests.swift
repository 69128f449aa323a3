#if os(Linux)
import TestSupport
import CoreAPICurl
import CoreAPITransfers

@Suite("An upload cancelled at any moment", .timeLimit(.minutes(2)))
struct CancellationTests {
    /// In a separate process, because it counts the process's descriptors.
    @Test("leaves no descriptor, thread, connection, transfer or source")
    func anytime() async {
        await #expect(processExitsWith: .success) {
            let servers = try [nil, ServerTLS()].map { tls in
                try LoopbackServer.start(tls: tls, bodyLimit: 0) { .ok("\($0.bodyLength)", headers: ["Connection": "close"]) }
            }
            defer { for server in servers { server.close() } }
            try await CancellationTests.process { try await CancellationTests.plain(servers, $0, &$1, $2) }
        }
    }

    @Test("leaves nothing behind if it is resumable, and continues")
    func resumableAnytime() async {
        await #expect(processExitsWith: .success) { try await CancellationTests.process(CancellationTests.resumable) }
    }

    private static func process(_ round: (Int, inout SplitMix, Sources) async throws -> Int) async throws {
        var numbers = SplitMix(34)
        let sources = Sources()
        _ = try await round(8, &numbers, sources)
        let before = try Census.now()
        #expect(try await round(60, &numbers, sources) > 20)
        await sources.released()
        let after = try await Census.settled(atMost: before)
        #expect(after.isNoMore(than: before), "\(before) → \(after)")
    }

    private static let data = Data.noise(300_000)

    /// - Returns: the number of uploads that were cancelled before their end.
    private static func plain(
        _ servers: [LoopbackServer], _ count: Int, _ numbers: inout SplitMix, _ sources: Sources
    ) async throws -> Int {
        // More than the kit holds of a sequence, so that a source that goes on does not end by itself.
        let large = Data.noise(1_200_000)
        let (file, transport) = (try TemporaryFile(large), CurlTransport())
        let channels = servers.map { Channel.test($0, transport: transport) }
        var cancelled = 0
        for index in 0..<count {
            let body: Body =
                switch Int.random(in: 0..<4, using: &numbers) {
                case 0: .bytes(large)
                case 1: .file(file.url)
                case 2: .once(sources.pieces(of: large), length: Int64(large.count))
                default: .stream(Body.Stream { sources.pieces(of: large) })
                }
            // 15 ms, so that each moment has its share.
            var options = UploadOptions(bytesPerSecond: 80_000_000)
            if Int.random(in: 0..<4, using: &numbers) == 0 { options.compression = .gzip }
            let upload = channels[index % channels.count].manager.upload(.post("a"), from: body, as: .text, options: options)
            let delay = Int.random(in: 0..<20_000, using: &numbers)
            let isTask = Bool.random(using: &numbers)
            let waiting = Task { try await upload.value }
            try await Task.sleep(for: .microseconds(delay))
            if isTask { waiting.cancel() } else { upload.cancel() }
            if try isCancelled(await waiting.result) { cancelled += 1 }
        }
        #expect(try await transport.leftovers(closing: channels, servers) == nil)
        return cancelled
    }

    /// - Returns: the number of uploads that were cancelled before their end.
    private static func resumable(_ count: Int, _ numbers: inout SplitMix, _ sources: Sources) async throws -> Int {
        let file = try TemporaryFile(data)
        var cancelled = 0
        for index in 0..<count {
            let dialect = ResumableUpload.Dialect.allCases[index % ResumableUpload.Dialect.allCases.count]
            let (server, state) = (try ResumableServer(dialect), Shared(ResumableUpload.State?.none))
            let isFile = Bool.random(using: &numbers)
            func begin(on channel: Channel) -> Upload<Data> {
                var plan = ResumableUpload(dialect, continuing: state.current) { new in state.change { $0 = new } }
                plan.pause = .milliseconds(1)
                plan.pieceSize = 50_000
                let body: Body = isFile ? .file(file.url) : .stream(Body.Stream { sources.pieces(of: data) })
                return channel.manager.upload(.post("a"), from: body, as: .data, resumable: plan)
            }
            let transport = CurlTransport()
            let channel = Channel.test(server.url) { $0.transport = transport }
            let (upload, delay) = (begin(on: channel), Int.random(in: 0..<12_000, using: &numbers))
            let isTask = Bool.random(using: &numbers)
            let waiting = Task { try await upload.value }
            try await Task.sleep(for: .microseconds(delay))
            if isTask { waiting.cancel() } else { upload.cancel() }
            let wasCancelled = try isCancelled(await waiting.result)
            #expect(try await transport.leftovers(closing: [channel]) == nil)
            guard wasCancelled else {
                #expect(server.data == data)
                continue
            }
            cancelled += 1
            // Without a response to its creation there is nothing to continue, and the server may still read that request.
            guard state.current != nil else { continue }
            // The server may still store bytes of the cancelled request.
            for _ in 0..<500 where server.state.current.connections > 0 { try await Task.sleep(for: .milliseconds(10)) }
            let later = Channel.test(server.url)
            _ = try await begin(on: later).value
            #expect(server.data == data)
            await later.close()
        }
        return cancelled
    }

    private static func isCancelled<Value>(_ result: Result<Value, any Error>) throws -> Bool {
        guard case .failure(let error) = result else { return false }
        #expect((error as? APIClientError)?.isCancelled == true, "\(error)")
        return true
    }
}

/// Counts the sequences that were not released yet.
private final class Sources: Sendable {
    private let count = Shared(0)
    private let counts: AsyncStream<Int>
    private let changed: AsyncStream<Int>.Continuation

    init() { (counts, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Some are of a task that may be at work a little longer.
    func released() async { for await count in counts where count == 0 { return } }

    func pieces(of data: Data) -> AsyncStream<Data> {
        let (offset, member) = (Shared(0), Member(self))
        return AsyncStream {
            defer { withExtendedLifetime(member) {} }
            try? await Task.sleep(for: .microseconds(200))
            return offset.take { offset in
                guard offset < data.count else { return nil }
                defer { offset += data.count / 30 }
                return Data(data.dropFirst(offset).prefix(data.count / 30))
            }
        }
    }

    private final class Member: Sendable {
        private let sources: Sources

        init(_ sources: Sources) {
            self.sources = sources
            change(by: 1)
        }

        deinit { change(by: -1) }

        private func change(by number: Int) {
            sources.count.change { count in
                count += number
                sources.changed.yield(count)
            }
        }
    }
}
#endif
