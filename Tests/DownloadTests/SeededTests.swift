import CoreAPITransfers
import TestSupport

/// Files whose downloads break off at seeded moments. Every file in place must be a version that the server had.
@Suite("Seeded interruptions", .closing, .timeLimit(.minutes(3)))
struct SeededTests {
    /// A server's files, each of which may change, and the server's faults.
    private final class Files: Sendable {
        private struct State {
            var random: SplitMix
            var versions: [Served]
            var requests = 0
            /// The process that sent the last request, and how many processes began with the rest of the file.
            var process: String?
            var continued = 0
        }

        private let states: Mutex<[State]>

        init(_ count: Int, size: ClosedRange<Int>) {
            states = Mutex(
                (0..<count).map { index in
                    var random = SplitMix(UInt64(index) &* 7_919 &+ 1)
                    let first = Self.version(0, size: Int.random(in: size, using: &random), &random)
                    return State(random: random, versions: [first])
                })
        }

        private static func version(_ number: Int, size: Int, _ random: inout SplitMix) -> Served {
            Served(size, seed: random.next()) {
                $0.tag = Int.random(in: 0..<10, using: &random) == 0 ? nil : "\"\(number)\""
                $0.namesDigest = Bool.random(using: &random)
            }
        }

        /// Whether a file ever had bytes with this SHA-256.
        func had(_ hash: String, _ index: Int) -> Bool {
            states.withLock { $0[index].versions.contains { SHA256.hash($0.bytes).hexadecimal == hash } }
        }

        var requests: Int { states.withLock { $0.reduce(0) { $0 + $1.requests } } }
        var continued: Int { states.withLock { $0.reduce(0) { $0 + $1.continued } } }

        func reply(_ request: ReceivedRequest) -> ServerReply {
            let index = Int(request.path.split(separator: "/").last ?? "") ?? 0
            let (served, count, cut, other) = states.withLock { states -> (Served, Int?, ServerReply.Step, ServerReply?) in
                var state = states[index]
                defer { states[index] = state }
                state.requests += 1
                let process = request.headers["x-process"]
                if process != state.process, request.headers["range"] != nil { state.continued += 1 }
                state.process = process
                var served = state.versions[state.versions.count - 1]
                // Then the server makes no faults.
                guard state.requests <= 12 else { return (served, nil, .closeConnection, nil) }
                // Keep the choice and the change short, because all connections wait here.
                let mood = Int.random(in: 0..<100, using: &state.random)
                if mood < 6 {
                    let size = Int.random(in: 1...(2 * served.bytes.count), using: &state.random)
                    served = Self.version(state.versions.count, size: size, &state.random)
                    state.versions.append(served)
                }
                var other: ServerReply?
                switch mood {
                case 6..<10: other = .status(503)
                case 10..<15: served.knowsRanges = false
                case 15..<20: served.checksIfRange = false
                case 20..<23:
                    let range = "bytes 0-\(served.bytes.count - 1)/\(served.bytes.count)"
                    other = .status(206, body: served.bytes, headers: ["Content-Range": range])
                case 23..<26: other = .closeWithoutReply
                default: break
                }
                let cut: ServerReply.Step = mood == 99 ? .stall : mood.isMultiple(of: 2) ? .closeConnection : .reset
                return (served, Int.random(in: 0...served.bytes.count, using: &state.random), cut, other)
            }
            return other ?? served.reply(request, sending: count, then: cut)
        }
    }

    /// One file in five is downloaded by processes that are killed at random moments.
    @Test(
        "200 files each have the right SHA-256 at the end, no part is left, and killed processes leave parts that others continue",
        .enabled(if: order == nil))
    func cuts() async throws {
        let folder = Folder()
        let files = Files(200, size: 1...60_000)
        let server = try LoopbackServer.test(keepsRequests: false) { files.reply($0) }
        let manager = Channel.moody(server.url).manager
        async let kills = withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<4 { group.addTask { try await kill(worker, server.url, folder) } }
            return try await group.reduce(0, +)
        }
        let runs = await withTaskGroup(of: Int.self) { group in
            var runs: [Int] = []
            for (number, index) in (0..<200).filter({ !Self.isOfKilled($0) }).enumerated() {
                if number >= 24, let run = await group.next() { runs.append(run) }
                group.addTask { await Self.download(index, manager, folder.url) }
            }
            return await group.reduce(into: runs) { $0.append($1) }
        }
        #expect(!runs.contains(0) && runs.contains { $0 > 1 })
        let (killed, hashes) = (try await kills, try await Self.hashes(folder))
        print("killed \(killed) processes among \(files.requests) requests; others continued \(files.continued) files")
        #expect(killed >= 8 && files.continued > 0)
        for index in 0..<200 { #expect(files.had(hashes["\(index)"] ?? "", index), "file \(index) is wrong") }
        let left = try folder.names.filter { Int($0) == nil }
        // A kill between a download's last two steps leaves a sidecar, which the next download of the file removes.
        let allowed = Set((0..<200).filter(Self.isOfKilled).map { "\($0).part.json" })
        #expect(Set(left).subtracting(allowed) == [])
    }

    private static func isOfKilled(_ index: Int) -> Bool { index % 5 == 4 }

    /// Downloads a file as an app does, until there is one.
    ///
    /// - Returns: how often it began; 0 if there is no file.
    private static func download(
        _ index: Int, _ manager: some Dispatcher, _ folder: URL, _ watch: @Sendable (Download) -> Void = { _ in }
    ) async -> Int {
        let options = DownloadOptions { options in
            options.parts = index.isMultiple(of: 5) ? 3 : 1
            options.resumes = !index.isMultiple(of: 7)
            (options.saveInterval, options.savePause) = (4_096, .zero)
        }
        for run in 1...30 {
            let download = manager.download(.get("\(index)"), to: folder.appendingPathComponent("\(index)"), options)
            watch(download)
            if (try? await download.value) != nil { return run }
        }
        return 0
    }

    /// By a program that shares no code with the kit.
    private static func hashes(_ folder: Folder) async throws -> [String: String] {
        let names = try folder.names
        let outcome = try await Program.run(["openssl", "dgst", "-sha256", "-r"] + names.map { folder.file($0).path })
        let lines = outcome.text.split(separator: "\n").map { $0.split(separator: " ")[0] }
        return Dictionary(uniqueKeysWithValues: zip(names, lines.map(String.init)))
    }

    private static let variable = "NETWORKERKIT_DOWNLOADS"
    private static let order = ProcessInfo.processInfo.environment[variable]

    /// Runs processes that download a fourth of their files and are killed, until one ends by itself.
    ///
    /// - Returns: how many were killed.
    private func kill(_ worker: Int, _ url: String, _ folder: Folder) async throws -> Int {
        var random = SplitMix(UInt64(worker) &+ 100)
        for kills in 0..<40 {
            // It grows, so that the files that cannot be continued are whole at some time.
            let deadline = Int.random(in: 40_000...200_000, using: &random) + kills * 5_000
            let order = "\(url) \(folder.url.path) \(worker) \(deadline) \(kills)"
            let outcome = try await Program.tests(of: "SeededTests", [Self.variable: order])
            if outcome.status == 0 { return kills }
            #expect(outcome.status == 128 + SIGKILL, "\(outcome.text)")
        }
        Issue.record("worker \(worker) was killed 40 times")
        return 40
    }

    @Test("The process that is killed", .enabled(if: order != nil))
    func victim() async throws {
        let words = try #require(Self.order).split(separator: " ").map(String.init)
        let folder = URL(fileURLWithPath: words[1])
        let (worker, deadline) = (try #require(Int(words[2])), try #require(Int64(words[3])))
        let manager = Channel.moody(words[0], process: words[4]).manager
        // Bytes that all downloads of the process have moved.
        let total = Shared<Int64>(0)
        await withTaskGroup(of: Int.self) { group in
            for index in 0..<200 where Self.isOfKilled(index) && index / 5 % 4 == worker {
                guard !FileManager.default.fileExists(atPath: folder.appendingPathComponent("\(index)").path) else { continue }
                group.addTask {
                    await Self.download(index, manager, folder) { download in
                        let updates = download.progress
                        Task.detached {
                            var last: Int64?
                            for await progress in updates {
                                let more = max(0, progress.completed - (last ?? progress.completed))
                                last = progress.completed
                                total.change { $0 += more }
                                if total.current > deadline { raise(SIGKILL) }
                            }
                        }
                    }
                }
            }
        }
        _exit(0)
    }
}

extension Channel {
    /// For a server whose answers break off or stand still.
    fileprivate static func moody(_ url: String, process: String? = nil) -> Channel {
        .test(url, name: "loopback") {
            $0.modifiers = [Timeout(idle: .seconds(2))]
            $0.environment.commonHeaders["X-Process"] = process
            $0.interceptors = [RetryPolicy(attempts: 4, base: .zero)]
        }
    }
}
