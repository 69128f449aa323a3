import CoreAPITransfers
import TestSupport

/// Every run moves 64 MiB, four times the bound. `NETWORKERKIT_WHOLE_SIZE=1` moves 10 GiB.
@Suite("Memory of downloads", .timeLimit(.minutes(10)))
struct DownloadMemoryTests {
    private static let size = ProcessInfo.processInfo.environment["NETWORKERKIT_WHOLE_SIZE"] == nil ? 64 << 20 : 10 << 30

    /// In a separate process. A server with TLS has HTTP/2, too. The transport keeps a body that may be paused to HTTP/1.1.
    @Test(
        "one body of any size grows the process by less than 16 MiB", .enabled(if: Memory.isMeasurable),
        arguments: ["file", "sequence"], [false, true])
    func growth(target: String, secure: Bool) async {
        await #expect(processExitsWith: .success) { [target, secure] in
            let (moved, growth, version) = try await DownloadMemoryTests.measure(target == "file", secure ? ServerTLS() : nil)
            #expect(moved == DownloadMemoryTests.size && growth < 16 << 20 && version == "HTTP/1.1")
        }
    }

    private static func measure(_ isFile: Bool, _ tls: ServerTLS?) async throws -> (Int64, Int, String) {
        let piece = Data(repeating: 0x61, count: 1 << 20)
        let body = Array(repeating: ServerReply.Step.sendBody(piece), count: size / piece.count)
        let version = Shared("")
        let server = try LoopbackServer.start(tls: tls, keepsRequests: false) { request in
            guard request.path == "/export" else { return .ok("small") }
            version.change { $0 = request.version }
            return ServerReply([.sendHead(status: 200, headers: ["Content-Length": "\(size)", "ETag": #""a""#])] + body)
        }
        let (folder, manager) = (Folder(), Channel.loopback(server).manager)
        _ = try await manager.download(.get("small"), to: folder.export).value
        var memory = Growth()
        var moved: Int64 = 0
        if isFile {
            let download = manager.download(.export, to: folder.export)
            for await progress in download.progress { memory.look(after: progress.completed) }
            moved = try await download.value.length
        } else {
            for try await chunk in try await manager.stream(.export).value {
                moved += Int64(chunk.count)
                memory.look(after: moved)
            }
        }
        return (moved, memory.bytes, version.current)
    }
}
