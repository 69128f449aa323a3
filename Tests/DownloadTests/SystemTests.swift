import CoreAPITransfers
import TestSupport

/// Disks and descriptors at their limits, each in a separate process.
@Suite("A download and the system", .timeLimit(.minutes(2)))
struct SystemTests {
    private static let variable = "NETWORKERKIT_DOWNLOAD_SYSTEM"
    private static let order = ProcessInfo.processInfo.environment[variable]

    /// Starts a program where `folder` is a file system of 200 kB, without a right to do so outside.
    private static func smallDisk(_ folder: Folder) -> [String] {
        let script = "mount -t tmpfs -o size=200k none \"$1\" && shift && exec \"$@\""
        return ["unshare", "-rm", "sh", "-c", script, "sh", folder.url.path]
    }

    /// Containers often forbid it.
    private static func hasSmallDisks() async throws -> Bool {
        guard order == nil, Program.exists("unshare") else { return false }
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        return try await Program.run(smallDisk(folder) + ["true"]).status == 0
    }

    /// This program again, with one test.
    @Test("a disk that is full is a typed error, and a later download continues", .enabled { try await hasSmallDisks() })
    func smallDisk() async throws {
        let folder = Folder()
        let outcome = try await Program.tests(
            of: "SystemTests", [Self.variable: folder.export.path], by: Self.smallDisk(folder))
        #expect(outcome.status == 0 && outcome.text.contains("continued from"), "\(outcome.text)")
    }

    @Test("The process with the small disk", .enabled(if: order != nil))
    func onSmallDisk() async throws {
        let file = URL(fileURLWithPath: try #require(Self.order))
        try await Self.fill(file, code: ENOSPC) {
            let mount = try await Program.run(["mount", "-o", "remount,size=2m", file.deletingLastPathComponent().path])
            #expect(mount.status == 0)
        }
    }

    #if canImport(Glibc)
    private static let fileSize = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    private static let fileSize = RLIMIT_FSIZE
    #endif

    /// A file may have 200,000 bytes, and then more.
    @Test("a file at its limit is a typed error, and a later download continues", .enabled(if: order == nil))
    func fullDisk() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            #expect(getrlimit(SystemTests.fileSize, &limit) == 0)
            let most = limit.rlim_cur
            limit.rlim_cur = 200_000
            #expect(setrlimit(SystemTests.fileSize, &limit) == 0)
            let folder = Folder()
            try await SystemTests.fill(folder.export, code: EFBIG) {
                limit.rlim_cur = most
                #expect(setrlimit(SystemTests.fileSize, &limit) == 0)
            }
            #expect(try folder.names == ["export.bin"])
        }
    }

    private static func fill(_ file: URL, code: Int32, makingRoom: () async throws -> Void) async throws {
        let served = Served(300_000)
        let server = try LoopbackServer.start { served.reply($0) }
        let download = Channel.loopback(server).manager.download(.export, to: file)
        let error = await download.failure
        #expect(error?.label == "unknown" && error?.writeCode == code, "\(error as Any)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path).count == 2)
        try await makingRoom()
        download.resume()
        // The last piece did not fit.
        let reused = try await download.value.reused
        #expect((100_000...200_000).contains(reused))
        #expect(try Data(contentsOf: file) == served.bytes)
        print("continued from \(reused)")
    }

    @Test("complete, broken, rejected, paused and cancelled downloads leave no descriptor", .enabled(if: order == nil))
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let (folder, served) = (Folder(), Served(100_000))
            let server = try LoopbackServer.start { request in
                request.path == "/cut" ? served.reply(request, sending: 50_000, then: .stall) : served.reply(request)
            }
            let cut = TypedEndpoint.get("cut", modifiers: [Timeout(idle: .milliseconds(200))])
            func round() async throws {
                let channel = Channel.loopback(server)
                _ = try await channel.manager.download(.export, to: folder.export, .init { $0.parts = 2 }).value
                _ = try? await channel.manager.download(cut, to: folder.export).value
                _ = try? await channel.manager.download(cut, to: folder.url).value
                let paused = channel.manager.download(cut, to: folder.export)
                for await update in paused.progress where update.completed > 0 { break }
                paused.pause()
                _ = try? await channel.manager.download(cut, to: folder.export).value
                paused.cancel()
                _ = try? await paused.value
                await channel.close()
                try await server.waitForOpenConnections(atMost: 0)
            }
            try await round()
            let before = try Census.now()
            for _ in 0..<5 { try await round() }
            #expect(try await Census.settled(atMost: before).descriptors <= before.descriptors)
        }
    }
}
