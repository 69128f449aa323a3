import CoreAPI
import CoreAPILock
import CoreAPITesting
import CoreAPITransfers
import Foundation
import HTTPTypes
import Programs
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Files whose downloads break off at seeded moments. Every file in place must be a version that the server had.
@Suite("Seeded interruptions", .timeLimit(.minutes(3)))
struct SeededTests {
    /// A server's files, each of which may change, and the server's faults.
    private final class Files: Sendable {
        private struct State {
            var random: Seeded
            var versions: [Served]
            var requests = 0
        }

        private let states: Mutex<[State]>
        private let calmAfter: Int

        /// - Parameter calmAfter: the number of requests for a file after which the server makes no faults.
        init(_ count: Int, size: ClosedRange<Int>, calmAfter: Int, changes: Bool = true) {
            self.calmAfter = calmAfter
            self.changes = changes
            states = Mutex(
                (0..<count).map { index in
                    var random = Seeded(UInt64(index) &* 7_919 &+ 1)
                    let first = Self.version(0, size: Int.random(in: size, using: &random), &random)
                    return State(random: random, versions: [first])
                })
        }

        private let changes: Bool

        private static func version(_ number: Int, size: Int, _ random: inout Seeded) -> Served {
            var served = Served(size, seed: random.next())
            served.tag = Int.random(in: 0..<10, using: &random) == 0 ? nil : "\"\(number)\""
            served.namesDigest = Bool.random(using: &random)
            return served
        }

        /// Whether any version of a file had these bytes.
        func had(_ bytes: Data, _ index: Int) -> Bool {
            states.withLock { $0[index].versions.contains { $0.bytes == bytes } }
        }

        func reply(_ request: ReceivedRequest) -> ServerReply {
            let index = Int(request.path.split(separator: "/").last ?? "") ?? 0
            let (served, count, cut, other) = states.withLock { states -> (Served, Int?, Served.Cut, ServerReply?) in
                var state = states[index]
                defer { states[index] = state }
                state.requests += 1
                var served = state.versions[state.versions.count - 1]
                guard state.requests <= calmAfter else { return (served, nil, .closing, nil) }
                // Keep the choice and the change short, because all connections wait here.
                let mood = Int.random(in: 0..<100, using: &state.random)
                if mood < 6, changes {
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
                let cut: Served.Cut = mood == 99 ? .stalling : mood.isMultiple(of: 2) ? .closing : .resetting
                return (served, Int.random(in: 0...served.bytes.count, using: &state.random), cut, other)
            }
            return other ?? served.reply(request, sending: count, then: cut)
        }
    }

    @Test("200 files are all right at the end, and no part is left")
    func cuts() async throws {
        let folder = try Folder()
        let files = Files(200, size: 1...60_000, calmAfter: 12)
        let server = try LoopbackServer.start(keepsRequests: false) { files.reply($0) }
        defer { server.close() }
        let channel = Channel.loopback(server) { channel in
            channel.modifiers = [Timeout(idle: .milliseconds(400))]
            channel.interceptors = [RetryPolicy(attempts: 4, base: .zero)]
        }
        let manager = channel.manager
        let runs = await withTaskGroup(of: Int.self) { group in
            var runs: [Int] = []
            for index in 0..<200 {
                if index >= 24, let run = await group.next() { runs.append(run) }
                group.addTask {
                    let options = DownloadOptions { options in
                        options.parts = index.isMultiple(of: 5) ? 3 : 1
                        options.resumes = !index.isMultiple(of: 7)
                        options.saveInterval = 4_096
                    }
                    // Repeated until the file exists, as in an app.
                    for run in 1...30 {
                        let download = manager.download(.get("\(index)"), to: folder.file("\(index)"), options)
                        if (try? await download.value) != nil { return run }
                    }
                    return 0
                }
            }
            return await group.reduce(into: runs) { $0.append($1) }
        }
        #expect(!runs.contains(0) && runs.contains { $0 > 1 })
        for index in 0..<200 {
            #expect(files.had(try Data(contentsOf: folder.file("\(index)")), index), "file \(index) is wrong")
        }
        #expect(try folder.names.count == 200)
        await channel.close()
    }

    // MARK: - Killed processes

    private static let variable = "NETWORKERKIT_DOWNLOADS"
    private static let order = ProcessInfo.processInfo.environment[variable]

    @Test("each killed process leaves a part, and the next process continues it", .enabled(if: order == nil))
    func killed() async throws {
        let folder = try Folder()
        var served = Served(3_000_000)
        served.namesDigest = true
        let random = Mutex(Seeded(5))
        let server = try LoopbackServer.start { [served] request in
            let first = request.headers["range"].flatMap { Int($0.dropFirst(6).prefix { $0 != "-" }) } ?? 0
            let count = random.withLock { Int.random(in: 200_000...1_200_000, using: &$0) }
            let rest = served.bytes[min(first, served.bytes.count)...]
            var headers: HeaderLines = ["ETag": #""one""#, "Accept-Ranges": "bytes", "Repr-Digest": served.digest]
            headers.append("Content-Length", "\(rest.count)")
            let isPart = request.headers["range"] != nil
            if isPart { headers.append("Content-Range", "bytes \(first)-\(served.bytes.count - 1)/\(served.bytes.count)") }
            return [
                .sendHead(status: isPart ? 206 : 200, headers: headers),
                .throttled(Data(rest.prefix(count)), chunkSize: 20_000, interval: .milliseconds(2)), .closeConnection,
            ]
        }
        defer { server.close() }
        var environment = ProcessInfo.processInfo.environment
        var kills = 0
        for run in 0..<60 {
            environment[Self.variable] =
                "\(server.url) \(folder.export.path) \(random.withLock { Int.random(in: 70_000...700_000, using: &$0) })"
            let outcome = try await Program.run(
                [CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter", "SeededTests"],
                environment: environment, capturesErrors: true)
            if outcome.status == 0 { break }
            #expect(outcome.status == 128 + SIGKILL, "run \(run): \(outcome.text)")
            #expect(!FileManager.default.fileExists(atPath: folder.export.path))
            kills += 1
        }
        let ranges = server.requests.compactMap { $0.headers["range"] }
        print("killed \(kills) times, \(server.requests.count) requests, \(ranges.count) with a range")
        #expect(kills >= 3 && !ranges.isEmpty)
        #expect(try Data(contentsOf: folder.export) == served.bytes)
        #expect(try folder.names == ["export.bin"])
    }

    @Test("The process that is killed", .enabled(if: order != nil))
    func victim() async throws {
        let words = try #require(Self.order).split(separator: " ").map(String.init)
        let file = URL(fileURLWithPath: words[1])
        let size = try? FileManager.default.attributesOfItem(atPath: "\(file.path).part")[.size] as? Int64
        let deadline = try #require(Int64(words[2])) + (size ?? 0)
        var environment = APIEnvironment("loopback", baseURL: words[0])
        environment.allowsInsecureConnections = true
        let channel = Channel(name: "loopback", environment: environment).with {
            $0.interceptors = [RetryPolicy(attempts: 10, base: .zero)]
        }
        let options = DownloadOptions { $0.saveInterval = 65_536 }
        let download = channel.manager.download(.export, to: file, options)
        let before = download.progress
        // The kill comes after some bytes, so that each process makes progress on a slow machine, too.
        Task.detached {
            for await progress in before where progress.completed > deadline { kill(getpid(), SIGKILL) }
        }
        _ = try await download.value
        _exit(0)
    }
}
