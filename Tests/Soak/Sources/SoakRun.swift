import CoreAPI
import CoreAPITesting
import Foundation
import Synchronization

/// Sends calls through several channels, a tenth at a time, and compares the process's resources after the last tenth with
/// those after the first.
final class SoakRun: Sendable {
    private let requests: Int
    private let seed: UInt64
    private let atOnce: Int

    /// A call that ends this much later than its timeout counts as hung. Generous, because the machine may be busy.
    private static let grace = Duration.seconds(5)
    /// The number of requests of one server.
    private static let generation = 10_000
    /// Additional descriptors of idle connections. A channel keeps one for each call at its busiest moment, and those moments
    /// differ. So all channels together keep more than ever ran at once.
    private var connections: Int { 2 * atOnce }
    /// Additional threads of a server that still closes.
    private static let threads = 32
    /// Additional memory: running requests, and caches of a fixed size.
    private static let heldBytes = 4 << 20
    /// Additional resident memory of allocators, which keep freed memory.
    private static let residentBytes = 32 << 20

    private let tally = Mutex(Tally())

    init(requests: Int, seed: UInt64, atOnce: Int) {
        self.requests = requests
        self.seed = seed
        self.atOnce = atOnce
    }

    func run() async throws -> Bool {
        let before = Figures()
        let channels = Self.channels()
        print("soak: \(requests) requests, \(atOnce) at once, over \(channels.count) channels; seed \(seed)")
        print("tenth   requests   requests/s     held/MiB resident/MiB  descriptors  threads")
        var figures: [Figures] = []
        var port: UInt16 = 0
        for tenth in 0..<10 {
            let (start, end) = (requests * tenth / 10, requests * (tenth + 1) / 10)
            let began = ContinuousClock.now
            for first in stride(from: start, to: end, by: Self.generation) {
                let server = try Self.server(port: port)
                port = server.port
                await send(first..<min(first + Self.generation, end), over: channels, to: server)
                server.close()
            }
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            figures.append(try await settled(figures.first))
            print(String(format: "%5d %10d %12.0f    ", tenth + 1, end, Double(end - start) / seconds) + figures[tenth].text)
            fflush(nil)
        }
        for channel in channels { await channel.close() }
        let after = try await ended(before)
        print("  end                               " + after.text)
        return report(figures, before: before, after: after)
    }

    private static func channels() -> [Channel] {
        ["bare", "patient", "counting", "small"].map { name in
            var limits = Limits()
            limits.responseBodySize = 1 << 20
            if name == "small" { limits.connectionsPerHost = 4 }
            var channel = Channel(
                name: name, environment: APIEnvironment(name, baseURL: "http://127.0.0.1"), limits: limits,
                transport: CurlTransport(limits: limits))
            channel.environment.allowsInsecureConnections = true
            if name == "patient" { channel.interceptors = [RetryPolicy(base: .milliseconds(1))] }
            return channel
        }
    }

    private static let byName = Dictionary(uniqueKeysWithValues: Scenario.all.map { ($0.name, $0) })

    /// Answers every scenario by its path. A server records every request. So it is replaced after some thousands of them, and the
    /// next one takes its port.
    ///
    /// - Parameter port: 0 for any.
    private static func server(port: UInt16) throws -> LoopbackServer {
        // Calls that are repeated after one rejection.
        let rejected = Mutex(Set<String>())
        return try LoopbackServer.start(port: port) { request in
            let name = request.path.split(separator: "/").first.map(String.init) ?? ""
            guard let scenario = byName[name] else { return .status(500) }
            if scenario.needsRetries, rejected.withLock({ $0.insert(request.target).inserted }) { return .status(503) }
            return scenario.reply(request)
        }
    }

    private func send(_ numbers: Range<Int>, over channels: [Channel], to server: LoopbackServer) async {
        let managers = channels.map { channel in
            var channel = channel
            channel.environment.baseURL = server.url
            return NetworkManager<Never>(channel: channel)
        }
        await withTaskGroup(of: Void.self) { group in
            for (count, number) in numbers.enumerated() {
                if count >= atOnce { await group.next() }
                let scenario = scenario(of: number)
                // The repeating one is the second.
                let manager = managers[scenario.needsRetries ? 1 : number % managers.count]
                group.addTask { await self.call(scenario, number, by: manager) }
            }
        }
    }

    /// The same for the same seed, for any number at once.
    private func scenario(of number: Int) -> Scenario {
        var bits = seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        var place = Int((bits ^ bits >> 31) % UInt64(Self.shares))
        return Scenario.all.first { scenario in
            place -= scenario.share
            return place < 0
        } ?? Scenario.all[0]
    }

    private static let shares = Scenario.all.reduce(0) { $0 + $1.share }

    private func call(_ scenario: Scenario, _ number: Int, by manager: NetworkManager<Never>) async {
        let endpoint = scenario.endpoint(number)
        let began = ContinuousClock.now
        let task = Task {
            scenario.isDecoded
                ? await manager.response(for: endpoint, as: Item.self).map { _ in Data() }
                : await manager.response(for: endpoint, as: .data)
        }
        if let pause = scenario.cancelledAfter {
            if pause > .zero { try? await Task.sleep(for: pause) }
            task.cancel()
        }
        let response = await task.value
        let took = ContinuousClock.now - began
        let label = response.error?.label ?? Scenario.success
        tally.withLock { tally in
            tally.count(label, took: took)
            if !scenario.ends.contains(label) {
                tally.note("\(scenario.name)/\(number): \(response.error.map { "\($0)" } ?? label)")
            } else if response.error == nil, let bytes = scenario.bytes, response.data.count != bytes {
                tally.note("\(scenario.name)/\(number): expected \(bytes) bytes, got \(response.data.count)")
            }
            if took > scenario.timeout.total + Self.grace { tally.note("\(scenario.name)/\(number) hung for \(took)") }
        }
    }

    /// The resources between two tenths; the last server's connections take a moment to close.
    private func settled(_ first: Figures?) async throws -> Figures {
        var figures = Figures()
        for _ in 0..<100 {
            let earlier = figures
            try await Task.sleep(for: .milliseconds(50))
            figures = Figures()
            let isFlat =
                first.map { figures.heldBytes <= $0.heldBytes + Self.heldBytes } ?? (figures.heldBytes >= earlier.heldBytes)
            if isFlat { break }
        }
        return figures
    }

    /// The resources after everything is closed; threads and sockets take a moment to end.
    private func ended(_ before: Figures) async throws -> Figures {
        var after = Figures()
        for _ in 0..<100 where after.descriptors > before.descriptors + Self.runtime {
            try await Task.sleep(for: .milliseconds(50))
            after = Figures()
        }
        return after
    }

    /// Descriptors that the language's runtime opens on first use and keeps.
    private static let runtime = 4

    private func report(_ figures: [Figures], before: Figures, after: Figures) -> Bool {
        let tally = tally.withLock { $0 }
        print("\nends")
        for (label, count) in tally.byLabel { print(String(format: "%10d  ", count) + label) }
        print(String(format: "longest call: %.2f s", tally.longest / .seconds(1)))

        var findings = tally.surprises
        if tally.surpriseCount > findings.count { findings.append("… and \(tally.surpriseCount - findings.count) more") }
        let (first, last) = (figures[0], figures[figures.count - 1])
        let bounds: [(String, KeyPath<Figures, Int>, more: Int)] = [
            ("bytes held", \.heldBytes, Self.heldBytes), ("bytes resident", \.residentBytes, Self.residentBytes),
            ("descriptors", \.descriptors, connections), ("threads", \.threads, Self.threads),
        ]
        for (what, figure, more) in bounds where last[keyPath: figure] > first[keyPath: figure] + more {
            let counts = "\(first[keyPath: figure]) after the first tenth, \(last[keyPath: figure]) after the last"
            findings.append("not flat: \(what), \(counts)")
        }
        if after.descriptors > before.descriptors + Self.runtime {
            findings.append("left open at the end: \(before.descriptors) descriptors before, \(after.descriptors) after")
        }
        for finding in findings { print("✗ \(finding)") }
        if findings.isEmpty {
            print("✓ every call ended as it must; memory, descriptors and threads are flat; nothing is left open")
        }
        return findings.isEmpty
    }
}
