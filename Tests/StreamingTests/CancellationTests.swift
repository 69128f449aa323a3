#if os(Linux)
import CoreAPI
import CoreAPICurl
import CoreAPITesting
import Foundation
import Programs
import Testing

@testable import CoreAPIStreaming

@Suite("Events cancelled at any moment", .timeLimit(.minutes(2)))
struct CancellationTests {
    /// In a separate process, because it counts the process's descriptors.
    @Test("leave no descriptor, thread, connection or transfer")
    func anytime() async {
        await #expect(processExitsWith: .success) { try await CancellationTests.process() }
    }

    private static func process() async throws {
        /// Each connection brings five events in five milliseconds. Then it ends, or is silent: each moment has its share.
        func start(_ tls: ServerTLS?) throws -> LoopbackServer {
            try LoopbackServer.start(tls: tls) { request in
                let head: ServerReply.Step = .sendHead(
                    status: 200, headers: ["Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"])
                let events: [[ServerReply.Step]] = (0..<5).map {
                    [.sendChunk(Data("id: \($0)\ndata: x\n\n".utf8)), .wait(.milliseconds(1))]
                }
                return ServerReply([head] + events.joined() + [request.connection.isMultiple(of: 2) ? .endChunks() : .stall])
            }
        }
        let servers = try [start(nil), start(ServerTLS())]
        defer { for server in servers { server.close() } }
        var numbers = SplitMix(34)
        try await round(servers, 6, &numbers)
        let before = try Census.now()
        #expect(try await round(servers, 60, &numbers) == 60)
        let after = try await Census.settled(atMost: before)
        #expect(after.isNoMore(than: before), "\(before) → \(after)")
    }

    /// - Returns: the number of readers that ended as cancelled.
    @discardableResult
    private static func round(
        _ servers: [LoopbackServer], _ count: Int, _ numbers: inout SplitMix
    ) async throws -> Int {
        let transport = CurlTransport()
        let channels = servers.map { server in
            var channel = Channel.test(server)
            channel.transport = transport
            return channel
        }
        let options = EventOptions(pause: .milliseconds(2), longestPause: .milliseconds(4))
        var cancelled = 0
        for index in 0..<count {
            let events = channels[index % channels.count].manager.events(.get("x"), options: options)
            let reading = Task { for try await _ in events.updates {} }
            try await Task.sleep(for: .microseconds(Int.random(in: 0..<25_000, using: &numbers)))
            reading.cancel()
            do {
                try await reading.value
                Issue.record("the events ended without an error")
            } catch {
                cancelled += 1
                let isCancelled = error is CancellationError || (error as? APIClientError)?.isCancelled == true
                #expect(isCancelled, "\(error)")
            }
        }
        #expect(try await transport.leftovers(closing: channels, servers) == nil)
        return cancelled
    }
}
#endif
