#if os(Linux)
import TestSupport
import CoreAPICurl
import CoreAPITransfers

@Suite("A download cancelled at any moment", .timeLimit(.minutes(2)))
struct CancellationTests {
    private static let tagged = Served(300_000) { $0.namesDigest = true }
    private static let plain = Served(300_000, seed: 2) { $0.tag = nil }

    /// In a separate process, because it counts the process's descriptors.
    @Test("leaves no descriptor, thread, connection or transfer, and only bytes that a later one continues")
    func anytime() async {
        await #expect(processExitsWith: .success) {
            let servers = try [nil, ServerTLS()].map(CancellationTests.server)
            var numbers = SplitMix(34)
            _ = try await CancellationTests.round(servers, 4, &numbers)
            let before = try Census.now()
            #expect(try await CancellationTests.round(servers, 60, &numbers) > 20)
            let after = try await Census.settled(atMost: before)
            #expect(after.isNoMore(than: before), "\(before) → \(after)")
        }
    }

    /// Slow enough for each moment of a download to have its share.
    private static func server(_ tls: ServerTLS?) throws -> LoopbackServer {
        try .start(tls: tls) { request in
            let reply = (request.path == "/tagged" ? tagged : plain).reply(request)
            return ServerReply(
                reply.steps.map { step in
                    guard case .sendBody(let data) = step else { return step }
                    return .throttled(data, chunkSize: 32_768, interval: .milliseconds(1))
                })
        }
    }

    /// - Returns: the number of downloads that were cancelled before their end.
    private static func round(_ servers: [LoopbackServer], _ count: Int, _ numbers: inout SplitMix) async throws -> Int {
        let (folder, transport) = (Folder(), CurlTransport())
        let channels = servers.map { Channel.loopback($0) { $0.transport = transport } }
        var cancelled = 0
        for index in 0..<count {
            let isTagged = Bool.random(using: &numbers)
            let (bytes, endpoint) = (isTagged ? tagged.bytes : plain.bytes, TypedEndpoint.get(isTagged ? "tagged" : "plain"))
            let file = folder.file("\(index)")
            let options = DownloadOptions { options in
                options.parts = Int.random(in: 1...3, using: &numbers)
                // Saves while it runs, too.
                (options.saveInterval, options.savePause) = (65_536, .zero)
            }
            let (delay, way) = (Int.random(in: 0..<15_000, using: &numbers), Int.random(in: 0..<4, using: &numbers))
            let manager = channels[index % channels.count].manager
            let download = manager.download(endpoint, to: file, options)
            let waiting = Task { try await download.value }
            try await Task.sleep(for: .microseconds(delay))
            if way == 1 { download.pause() }
            if way == 0 { waiting.cancel() } else { download.cancel() }
            let result = await waiting.result
            // The bytes are settled when the download itself has ended.
            _ = try? await download.value
            let left = try folder.names.filter { $0 == "\(index)" || $0.hasPrefix("\(index).") }
            switch result {
            case .success:
                #expect(left == ["\(index)"])
                #expect(try Data(contentsOf: file) == bytes)
            case .failure(let error):
                cancelled += 1
                #expect((error as? APIClientError)?.isCancelled == true, "\(error)")
                #expect(left.isEmpty || isTagged && left == ["\(index).part", "\(index).part.json"], "\(left)")
            }
            // What is left is of use.
            let again = try await manager.download(endpoint, to: file).value
            #expect(try Data(contentsOf: file) == bytes)
            #expect((again.reused > 0) == left.contains("\(index).part"))
        }
        #expect(try folder.names.count == count)
        #expect(try await transport.leftovers(closing: channels, servers) == nil)
        return cancelled
    }
}
#endif
