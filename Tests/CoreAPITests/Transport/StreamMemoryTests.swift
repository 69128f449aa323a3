import TestSupport

@testable import CoreAPICore

/// The memory of bodies that are held or compressed, measured in a separate process: this program again, with one test.
@Suite("Memory of streams", .timeLimit(.minutes(5)))
struct StreamMemoryTests {
    private static let variable = "NETWORKERKIT_MEASURES_STREAMS"
    private static let isMeasuring = ProcessInfo.processInfo.environment[variable] != nil
    private static let bound = 16 << 20

    @Test("The measured process", .enabled(if: isMeasuring))
    func measured() async throws {
        let direction = ProcessInfo.processInfo.environment[Self.variable] ?? ""
        let (moved, growth) =
            switch direction {
            case "bomb": try await bomb()
            default: try await paused(secure: direction == "paused-TLS")
            }
        print("measured \(direction) \(moved) \(growth)")
    }

    private static let isPossible = !isMeasuring && Memory.isMeasurable

    /// - Returns: the numbers that the separate process reports.
    private func measure(_ direction: String) async throws -> (moved: Int, growth: Int) {
        let outcome = try await Program.tests(of: "StreamMemoryTests", [Self.variable: direction])
        let numbers = outcome.numbers(after: "measured \(direction) ")
        try #require(numbers.count == 2, "\(outcome.text)")
        print("a stream \(direction): \(numbers[0] >> 20) MiB moved, grown by \(numbers[1] >> 10) KiB")
        return (numbers[0], numbers[1])
    }

    @Test(
        "each body that its reader holds costs less than 1 MiB, and no processor", .enabled(if: isPossible),
        arguments: ["paused", "paused-TLS"])
    func held(direction: String) async throws {
        let (_, growth) = try await measure(direction)
        #expect(growth < Self.heldBodies << 20)
    }

    @Test("a compressed body of 512 MiB grows the process by less than 16 MiB, held or read", .enabled(if: isPossible))
    func bombs() async throws {
        let (moved, growth) = try await measure("bomb")
        #expect(moved == 512 << 20)
        #expect(growth < Self.bound)
    }

    private static let heldBodies = 100

    /// Bodies that the server could send without an end, of which each reader takes one chunk.
    private func paused(secure: Bool) async throws -> (Int, Int) {
        let piece = Data(repeating: 0x61, count: 1 << 14)
        let server = try LoopbackServer.start(tls: secure ? ServerTLS() : nil) { request in
            guard request.path == "/large" else { return .ok("small") }
            return [.sendHead(status: 200, headers: ["Content-Length": "99999999999"]), .sendEndlessly(piece)]
        }
        let channel = Channel.test(server)
        let manager = channel.manager
        func small() async throws {
            for _ in 0..<20 { #expect(try await manager.response(for: TestEndpoint("small"), as: .text).value == "small") }
        }
        try await small()
        let before = Memory.resident
        var readers: [Body.AsyncIterator] = []
        var moved = 0
        for _ in 0..<Self.heldBodies {
            var reader = try await manager.stream(TestEndpoint("large")).value.makeAsyncIterator()
            moved += try await reader.next()?.count ?? 0
            readers.append(reader)
        }
        try await small()
        // As long as a loop that is not stopped takes to fill some hundred MiB.
        let began = clock()
        try await Task.sleep(for: .milliseconds(500))
        // In microseconds.
        let used = clock() - began
        try #require(used < 100_000, "bodies that wait for their readers use the processor")
        let growth = Memory.resident - before
        withExtendedLifetime(readers) {}
        readers = []
        await channel.close()
        return (moved, growth)
    }

    private func bomb() async throws -> (Int, Int) {
        let server = try LoopbackServer.start { request in
            .gzipBomb(decodedBytes: request.path == "/large" ? 512 << 20 : 1 << 20)
        }
        let channel = Channel.test(server.url)
        let manager = channel.manager
        // The buffers of the decoder and of the server.
        for _ in 0..<3 { for try await _ in try await manager.stream(TestEndpoint("small")).value {} }
        let before = Memory.resident
        var reader = try await manager.stream(TestEndpoint("large")).value.makeAsyncIterator()
        var moved = try await reader.next()?.count ?? 0
        try await Task.sleep(for: .milliseconds(500))
        var peak = Memory.resident
        while let chunk = try await reader.next() {
            if (moved >> 24) != ((moved + chunk.count) >> 24) { peak = max(peak, Memory.resident) }
            moved += chunk.count
        }
        await channel.close()
        return (moved, peak - before)
    }
}
