#if os(Linux)
import TestSupport
import CoreAPICurl

@testable import CoreAPIStreaming

@Suite("Events, JSON Lines and parts cancelled at any moment", .timeLimit(.minutes(2)))
struct CancellationTests {
    /// In a separate process, because it counts the process's descriptors.
    @Test("leave no descriptor, thread, connection, transfer or attempt")
    func anytime() async { await #expect(processExitsWith: .success) { try await CancellationTests.process() } }

    /// Knows each attempt, and retains no attempt. A task that goes on would retain its own.
    private final class Witness: Middleware {
        private struct Sighting: Sendable {
            weak var attempt: Attempt?
        }

        private let sightings = Shared<[Sighting]>([])

        func handle(_ attempt: Attempt, next: Next) async -> RawResponse {
            sightings.change { $0.append(Sighting(attempt: attempt)) }
            return await next(attempt)
        }

        var seen: Int { sightings.current.count }
        var alive: Int { sightings.current.count { $0.attempt != nil } }
    }

    private enum Kind: String, CaseIterable {
        case events, lines, parts

        /// The media type, and one item.
        func item(_ index: Int) -> (type: String, text: String) {
            switch self {
            case .events: ("text/event-stream", "id: \(index)\ndata: x\n\n")
            case .lines: ("application/jsonl", "\(index)\n")
            case .parts: ("multipart/mixed; boundary=b", "--b\r\n\r\n\(index)\r\n")
            }
        }

        /// Reads without an end: events are continued, and the other kinds begin again.
        func read(_ manager: some Dispatcher) async throws {
            let options = EventOptions(pause: .milliseconds(2), longestPause: .milliseconds(4))
            while true {
                switch self {
                case .events: for try await _ in manager.events(.get("events"), options: options).updates {}
                case .lines: for try await _ in manager.jsonLines(.get("lines"), of: Int.self) {}
                case .parts: for try await part in manager.parts(.get("parts")) { _ = try await part.body.collect(upTo: 9) }
                }
            }
        }
    }

    /// Each connection brings five items in five milliseconds. Then it ends, or is silent: each moment has its share.
    private static func server(_ tls: ServerTLS?) throws -> LoopbackServer {
        try .start(tls: tls) { request in
            guard let kind = Kind(rawValue: String(request.path.dropFirst())) else { return .status(404) }
            let head: HeaderLines = ["Content-Type": kind.item(0).type, "Transfer-Encoding": "chunked"]
            var steps: [ServerReply.Step] = [.sendHead(status: 200, headers: head)]
            for index in 0..<5 { steps += [.sendChunk(Data(kind.item(index).text.utf8)), .wait(.milliseconds(1))] }
            guard request.connection.isMultiple(of: 2) else { return ServerReply(steps + [.stall]) }
            if kind == .parts { steps.append(.sendChunk(Data("--b--".utf8))) }
            return ServerReply(steps + [.endChunks()])
        }
    }

    private static func process() async throws {
        let servers = try [nil, ServerTLS()].map(server)
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
        let witness = Witness()
        let channels = servers.map { Channel.test($0, transport: transport) { $0.attemptMiddleware = [witness] } }
        var cancelled = 0
        for index in 0..<count {
            let kind = Kind.allCases[index / channels.count % Kind.allCases.count]
            let manager = channels[index % channels.count].manager
            let reading = Task { try await kind.read(manager) }
            try await Task.sleep(for: .microseconds(Int.random(in: 0..<25_000, using: &numbers)))
            reading.cancel()
            let error = await #expect(throws: (any Error).self, "\(kind)") { try await reading.value }
            let isCancelled = error is CancellationError || (error as? APIClientError)?.isCancelled == true
            #expect(isCancelled, "\(error as Any)")
            if isCancelled { cancelled += 1 }
        }
        #expect(try await transport.leftovers(closing: channels, servers) == nil)
        // The transport may release an attempt after its thread has counted the transfer as gone.
        for _ in 0..<500 where witness.alive > 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(witness.seen > 0 && witness.alive == 0, "\(witness.alive) of \(witness.seen)")
        return cancelled
    }
}
#endif
