import CoreAPITransfers
import TestSupport

/// Disks and descriptors at their limits. Each runs in a separate process: this program again, with one test.
@Suite("A download and the system", .timeLimit(.minutes(2)))
struct SystemTests {
    private static let variable = "NETWORKERKIT_DOWNLOAD_SYSTEM"
    private static let order = ProcessInfo.processInfo.environment[variable]

    /// - Parameter launcher: a program that starts this one.
    private func run(_ order: String, _ folder: Folder, by launcher: [String] = []) async throws -> String {
        let outcome = try await Program.tests(
            of: "SystemTests", [Self.variable: "\(order) \(folder.export.path)"], by: launcher)
        let line = outcome.text.split(separator: "\n").first { $0.hasPrefix("result: ") }
        return String(try #require(line, "\(outcome.text)").dropFirst(8))
    }

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

    @Test("a disk that is full is a typed error, and a later download continues", .enabled { try await hasSmallDisks() })
    func smallDisk() async throws {
        let folder = Folder()
        let result = try await run("disk", folder, by: Self.smallDisk(folder))
        let words = result.split(separator: " ")
        #expect(words.count == 3 && words[0] == "unknown" && words[1] == "\(ENOSPC)", "\(result)")
        #expect((100_000...200_000).contains(Int(words.last ?? "") ?? 0), "\(result)")
    }

    @Test("a file at its limit is a typed error, and a later download continues", .enabled(if: order == nil))
    func fullDisk() async throws {
        let folder = Folder()
        let result = try await run("full", folder)
        let words = result.split(separator: " ")
        // The last piece did not fit.
        #expect(
            words.first == "unknown" && words[1] == "\(EFBIG)" && (100_000...200_000).contains(Int(words[2]) ?? 0), "\(result)")
        #expect(try folder.names == ["export.bin"])
    }

    @Test("complete, broken, rejected, paused and cancelled downloads leave no descriptor", .enabled(if: order == nil))
    func descriptors() async throws { #expect(try await run("descriptors", Folder()) == "0") }

    @Test("The process with limits", .enabled(if: order != nil))
    func process() async throws {
        let words = try #require(Self.order).split(separator: " ").map(String.init)
        let file = URL(fileURLWithPath: words[1])
        let result =
            switch words[0] {
            case "full": try await fillToLimit(file)
            case "disk": try await fillDisk(file)
            default: try await downloads(file)
            }
        print("result: \(result)")
    }

    /// - Returns: the number of open descriptors.
    private func downloads(_ file: URL) async throws -> String {
        func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        let served = Served(100_000)
        let server = try LoopbackServer.start { request in
            request.path == "/cut" ? served.reply(request, sending: 50_000, then: .stalling) : served.reply(request)
        }
        let cut = TypedEndpoint.get("cut", modifiers: [Timeout(idle: .milliseconds(200))])
        func round() async throws {
            let channel = Channel.loopback(server)
            _ = try await channel.manager.download(.export, to: file, .init { $0.parts = 2 }).value
            _ = try? await channel.manager.download(cut, to: file).value
            _ = try? await channel.manager.download(cut, to: file.deletingLastPathComponent()).value
            let paused = channel.manager.download(cut, to: file)
            for await update in paused.progress where update.completed > 0 { break }
            paused.pause()
            _ = try? await channel.manager.download(cut, to: file).value
            paused.cancel()
            _ = try? await paused.value
            await channel.close()
            try await server.waitForOpenConnections(atMost: 0)
        }
        try await round()
        let before = try open()
        for _ in 0..<5 { try await round() }
        // The server's threads close their side a little later.
        var after = try open()
        for _ in 0..<100 where after > before {
            try await Task.sleep(for: .milliseconds(20))
            after = try open()
        }
        server.close()
        return "\(max(0, after - before))"
    }

    #if canImport(Glibc)
    private static let fileSize = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    private static let fileSize = RLIMIT_FSIZE
    #endif

    /// The disk has room for 200 kB, and then for more.
    private func fillDisk(_ file: URL) async throws -> String {
        try await fill(file) {
            let folder = file.deletingLastPathComponent().path
            let mount = try await Program.run(["mount", "-o", "remount,size=2m", folder])
            #expect(mount.status == 0)
        }
    }

    /// A file may have 200,000 bytes, and then more.
    private func fillToLimit(_ file: URL) async throws -> String {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        #expect(getrlimit(Self.fileSize, &limit) == 0)
        let most = limit.rlim_cur
        limit.rlim_cur = 200_000
        #expect(setrlimit(Self.fileSize, &limit) == 0)
        return try await fill(file) {
            limit.rlim_cur = most
            #expect(setrlimit(Self.fileSize, &limit) == 0)
        }
    }

    private func fill(_ file: URL, makingRoom: () async throws -> Void) async throws -> String {
        let served = Served(300_000)
        let server = try LoopbackServer.start { served.reply($0) }
        let channel = Channel.loopback(server)
        let download = channel.manager.download(.export, to: file)
        let error = await download.failure
        guard let code = error?.writeCode else { return "\(error as Any)" }
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path).count == 2)
        try await makingRoom()
        download.resume()
        let whole = try await download.value
        #expect(try Data(contentsOf: file) == served.bytes)
        await channel.close()
        return "\(error?.label ?? "") \(code) \(whole.reused)"
    }
}
