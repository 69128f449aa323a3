#if os(Linux)
import CoreAPI
import CoreAPICurl
import CoreAPITesting
import Foundation
import Programs
import Testing

@testable import CoreAPIStreaming

/// Runs in a process of its own, because it counts the process's descriptors.
@Suite("Events cancelled at any moment", .timeLimit(.minutes(2)))
struct CancellationTests {
    private static let variable = "NETWORKERKIT_CANCELLED_EVENTS"
    private static let isProcess = ProcessInfo.processInfo.environment[variable] != nil

    @Test("leave no descriptor, thread, connection or transfer", .enabled(if: !isProcess))
    func anytime() async throws {
        var environment = ProcessInfo.processInfo.environment
        environment[Self.variable] = "1"
        let outcome = try await Program.run(
            [CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter", "StreamingTests.CancellationTests"],
            environment: environment, capturesErrors: true)
        #expect(outcome.status == 0 && outcome.text.contains("cancelled: 60"), "\(outcome.text)")
    }

    private static func count(_ folder: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count
    }

    @Test("The process with the cancelled events", .enabled(if: isProcess))
    func process() async throws {
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
        var numbers = SeededNumbers(seed: 34)
        try await round(servers, 6, &numbers)
        let before = try (Self.count("fd"), Self.count("task"))
        let cancelled = try await round(servers, 60, &numbers)
        // The server's threads close their side a little later.
        for _ in 0..<250 where try Self.count("fd") > before.0 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try Self.count("fd") <= before.0)
        // Those of the cooperative pool and of the servers come and go; one for each reader would stay.
        #expect(try Self.count("task") < before.1 + 20)
        print("cancelled: \(cancelled)")
    }

    /// - Returns: the number of readers that ended as cancelled.
    @discardableResult
    private func round(
        _ servers: [LoopbackServer], _ count: Int, _ numbers: inout SeededNumbers
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
        // A cancelled task may end before the loop has forgotten its transfer.
        for _ in 0..<500 where transport.activeTransfers > 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(transport.activeTransfers == 0)
        for channel in channels { await channel.close() }
        #expect(!transport.isRunning)
        for server in servers { try await server.waitForOpenConnections(atMost: 0) }
        return cancelled
    }
}

/// The same numbers in every run (SplitMix64).
private struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
#endif
