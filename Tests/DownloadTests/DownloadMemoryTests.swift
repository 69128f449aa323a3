import CoreAPITransfers
import TestSupport

/// The memory of downloads of any size, measured in a separate process: this program again, with one test.
///
/// Every run moves 64 MiB, four times the bound. `NETWORKERKIT_WHOLE_SIZE=1` moves 10 GiB.
@Suite("Memory of downloads", .closing, .timeLimit(.minutes(10)))
struct DownloadMemoryTests {
    private static let variable = "NETWORKERKIT_MEASURES_DOWNLOADS"
    private static let order = ProcessInfo.processInfo.environment[variable]
    private static let isComplete = ProcessInfo.processInfo.environment["NETWORKERKIT_WHOLE_SIZE"] != nil
    private static let size = isComplete ? 10 << 30 : 64 << 20

    /// The second server has HTTP/2, too. The transport keeps a body that may be paused to HTTP/1.1.
    @Test(
        "one body of any size grows the process by less than 16 MiB", .enabled(if: order == nil && Memory.isMeasurable),
        arguments: ["file", "sequence"], ["HTTP/1.1", "HTTP/2"])
    func growth(target: String, server: String) async throws {
        let folder = Folder()
        let outcome = try await Program.tests(
            of: "DownloadMemoryTests", [Self.variable: "\(target) \(server) \(folder.export.path)"])
        let numbers = outcome.numbers(after: "measured HTTP/1.1 ")
        try #require(numbers.count == 2, "\(outcome.text)")
        print("down into a \(target), a server with \(server): \(numbers[0] >> 20) MiB moved, grown by \(numbers[1] >> 10) KiB")
        #expect(numbers[0] == Self.size && numbers[1] < 16 << 20)
    }

    @Test("The measured process", .enabled(if: order != nil))
    func measured() async throws {
        let words = try #require(Self.order).split(separator: " ").map(String.init)
        let piece = Data(repeating: 0x61, count: 1 << 20)
        let body = Array(repeating: ServerReply.Step.sendBody(piece), count: Self.size / piece.count)
        let tls = words[1] == "HTTP/2" ? try ServerTLS() : nil
        let version = Shared("")
        let server = try LoopbackServer.start(tls: tls, keepsRequests: false) { request in
            guard request.path == "/export" else { return .ok("small") }
            version.change { $0 = request.version }
            return ServerReply([.sendHead(status: 200, headers: ["Content-Length": "\(Self.size)", "ETag": #""a""#])] + body)
        }
        let channel = Channel.loopback(server)
        let file = URL(fileURLWithPath: words[2])
        _ = try await channel.manager.download(.get("small"), to: file).value
        var memory = Growth()
        let moved =
            words[0] == "file" ? try await download(channel, to: file, &memory) : try await read(channel, &memory)
        print("measured \(version.current) \(moved) \(memory.bytes)")
    }

    private func download(_ channel: Channel, to file: URL, _ memory: inout Growth) async throws -> Int64 {
        let download = channel.manager.download(.export, to: file)
        for await progress in download.progress { memory.look(after: progress.completed) }
        return try await download.value.length
    }

    private func read(_ channel: Channel, _ memory: inout Growth) async throws -> Int64 {
        var moved: Int64 = 0
        for try await chunk in try await channel.manager.stream(.export).value {
            moved += Int64(chunk.count)
            memory.look(after: moved)
        }
        return moved
    }
}

/// How far the resident bytes of the process rise above the first look.
private struct Growth {
    private let before = Memory.resident
    private var peak = 0
    private var seen: Int64 = 0

    var bytes: Int { max(0, peak - before) }

    /// - Parameter count: bytes that were moved; a look is taken every 4 MiB.
    mutating func look(after count: Int64) {
        guard count >> 22 != seen >> 22 else { return }
        seen = count
        peak = max(peak, Memory.resident)
    }
}
