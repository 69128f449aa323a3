import CoreAPI
import CoreAPITesting
import Foundation
import HTTPTypes

/// Events a second through one connection, beside a loop over the bytes of the same answer in the same run. On two busy cores:
/// 1,148,000 events as text, 385,000 decoded, against the bytes of 8,574,000 (2026-11-26).
///
///     swift run -c release --package-path Benchmarks --scratch-path .build-bench BenchEvents
@main
struct BenchEvents {
    static let count = 1_000_000
    static let event = "id: 1234567\nevent: tick\ndata: {\"symbol\":\"THYAO\",\"price\":311.25,\"volume\":18200}\n\n"

    struct Tick: Decodable, Sendable {
        let symbol: String
        let price: Double
        let volume: Int
    }

    static func main() async throws {
        let block = Data(String(repeating: event, count: 1_000).utf8)
        let head = ServerReply.Step.sendHead(status: 200, headers: ["Content-Type": "text/event-stream"])
        let server = try LoopbackServer.start(keepsRequests: false) { _ in
            ServerReply([head] + Array(repeating: .sendBody(block), count: count / 1_000) + [.closeConnection])
        }
        defer { server.close() }
        var channel = Channel(
            name: "bench", environment: APIEnvironment(Host(baseURL: server.url), allowsInsecureConnections: true))
        channel.limits.responseBodySize = .max
        let manager = NetworkManager<Never>(channel: channel)
        var best: [String: Double] = [:]
        for _ in 0..<5 {
            try await measure("bytes", &best) {
                var bytes = 0
                for try await chunk in try await manager.stream(.get("x")).value { bytes += chunk.count }
                return bytes / event.utf8.count
            }
            let once = EventOptions(reconnections: 0)
            try await measure("events", &best) {
                var events = 0
                for try await _ in manager.events(.get("x"), options: once) { events += 1 }
                return events
            }
            try await measure("decoded", &best) {
                var events = 0
                for try await _ in manager.events(.get("x"), as: Tick.self, options: once) { events += 1 }
                return events
            }
        }
        await channel.close()
        let raw = best["bytes"] ?? 1
        for name in ["bytes", "events", "decoded"] {
            let rate = best[name] ?? 0
            print(
                name, Int(rate), "events/s", (rate / raw).formatted(.number.precision(.fractionLength(2))), "of the bytes' loop")
        }
    }

    struct Host: EnvironmentType {
        var name: String { "bench" }
        let baseURL: String
    }

    struct Missing: Error {
        let found: Int
    }

    static func measure(_ name: String, _ best: inout [String: Double], _ run: () async throws -> Int) async throws {
        let clock = ContinuousClock()
        let started = clock.now
        let found = try await run()
        guard found == count else { throw Missing(found: found) }
        let elapsed = started.duration(to: clock.now) / .seconds(1)
        best[name] = max(best[name] ?? 0, Double(count) / elapsed)
    }
}
