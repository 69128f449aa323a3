import CoreAPI
import Foundation
import HTTPTypes

/// The results of one request that was sent many times.
struct Repetition: Sendable {
    /// From the start of the first call to the end of the last one.
    let elapsed: Duration
    let atATime: Int
    /// From a call's start to its end, waits in the kit's queue included; shortest first.
    let totals: [Duration]
    /// Until the first byte of a response; shortest first.
    let firstBytes: [Duration]
    /// How many calls had each status; 0 for no response.
    let statuses: [Int: Int]
    let failures: Int
    let firstError: APIClientError?

    private struct Outcome: Sendable {
        let total: Duration
        let firstByte: Duration?
        let status: Int
        let error: APIClientError?
    }

    /// Sends the request `count` times, `width` at a time.
    static func run(
        _ endpoint: any Endpoint, through dispatcher: CommonDispatcher, _ count: Int, atATime width: Int
    ) async -> Repetition {
        let start = ContinuousClock.now
        let outcomes = await withTaskGroup(of: [Outcome].self) { group in
            for index in 0..<min(width, count) {
                group.addTask {
                    var outcomes: [Outcome] = []
                    for _ in 0..<(count / width + (index < count % width ? 1 : 0)) {
                        let start = ContinuousClock.now
                        let response = await dispatcher.response(for: endpoint, as: .data)
                        outcomes.append(
                            Outcome(
                                total: start.duration(to: .now), firstByte: response.metrics?.firstByte,
                                status: response.head?.status.code ?? 0, error: response.error))
                    }
                    return outcomes
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        return Repetition(
            elapsed: start.duration(to: .now), atATime: width, totals: outcomes.map(\.total).sorted(),
            firstBytes: outcomes.compactMap(\.firstByte).sorted(),
            statuses: outcomes.reduce(into: [:]) { $0[$1.status, default: 0] += 1 },
            failures: outcomes.count { $0.error != nil }, firstError: outcomes.lazy.compactMap(\.error).first)
    }

    /// The shortest and the longest time, and the percentiles between them by the nearest rank. A percentile that would be one
    /// of those two, because the calls are too few, is left out: p50 needs 3 calls, p90 10, p99 100.
    static func percentiles(of sorted: [Duration]) -> [(name: String, value: Duration)] {
        guard let least = sorted.first, let longest = sorted.last else { return [] }
        let inner = [("p50", 50), ("p90", 90), ("p99", 99)].compactMap { name, part in
            let index = (part * sorted.count + 99) / 100 - 1
            return index > 0 && index < sorted.count - 1 ? (name, sorted[index]) : nil
        }
        return [("min", least)] + inner + [("max", longest)]
    }

    private var perSecond: Double { Double(totals.count) / max(elapsed / .seconds(1), 1e-9) }

    func rendered(_ palette: Palette = .none) -> String {
        let rate = String(format: perSecond < 10 ? "%.1f" : "%.0f", perSecond)
        let calls = totals.count == 1 ? "1 call" : "\(totals.count) calls"
        let heading = palette.paint("\(calls), \(atATime) at a time, in \(elapsed.readable): \(rate) a second", .strong)
        let found = statuses.sorted { $0.key < $1.key }.map { status, count in
            palette.paint("\(count) × \(status == 0 ? "no answer" : "status \(status)")", status / 100 == 2 ? .good : .bad)
        }
        let names = Self.percentiles(of: totals).map(\.name)
        var table = TextTable([.init("")] + names.map { .init($0, .trailing) })
        for (name, durations) in [("total", totals), ("first byte", firstBytes)] where !durations.isEmpty {
            // Fewer calls than all may have a first byte, and then fewer percentiles.
            let values = Dictionary(uniqueKeysWithValues: Self.percentiles(of: durations).map { ($0.name, $0.value) })
            table.add([.init(name)] + names.map { .init(values[$0]?.readable ?? "–") })
        }
        return [heading + "\n" + found.joined(separator: ", "), table.rendered(palette), histogram(palette)]
            .compactMap(\.self).joined(separator: "\n\n")
    }

    /// Equal steps of the total time up to the 99th percentile, and a line for the longer ones: one step for each five calls, at
    /// most ten; `nil` for fewer than ten calls, which the table has described.
    private func histogram(_ palette: Palette) -> String? {
        let steps = min(10, totals.count / 5)
        guard steps > 1, let least = totals.first, let longest = totals.last else { return nil }
        let most = Self.percentiles(of: totals).first { $0.name == "p99" }?.value ?? longest
        let width = max((most - least) / steps, .microseconds(1))
        var counts = Array(repeating: 0, count: steps + 1)
        for total in totals { counts[total > most ? steps : min(steps - 1, Int((total - least) / width))] += 1 }
        let largest = counts.max() ?? 1
        let labels = (0..<steps).map { "≤ " + (least + width * ($0 + 1)).readable } + ["≤ " + longest.readable]
        let longestLabel = labels.map(\.count).max() ?? 0
        let longestCount = counts.map { "\($0)".count }.max() ?? 0
        return zip(labels, counts).enumerated().compactMap { index, line in
            let (label, count) = line
            guard index < steps || count > 0 else { return nil }
            // A step with any call is seen.
            let length = count == 0 ? 0 : max(1, count * 40 / largest)
            let bar = String(repeating: "█", count: length)
            let number = String(repeating: " ", count: longestCount - "\(count)".count) + "\(count)"
            let padding = String(repeating: " ", count: longestLabel - label.count)
            return "  \(padding)\(label)  \(number)" + (bar.isEmpty ? "" : "  " + palette.paint(bar, .good))
        }.joined(separator: "\n")
    }

    /// For programs; times in milliseconds. A percentile that the number of calls does not support is left out.
    struct Record: Encodable {
        let calls: Int
        let failures: Int
        let error: String?
        let atATime: Int
        let elapsedMs: Double
        let perSecond: Double
        let statuses: [String: Int]
        let totalMs: [String: Double]
        let firstByteMs: [String: Double]
    }

    var record: Record {
        func named(_ durations: [Duration]) -> [String: Double] {
            Dictionary(uniqueKeysWithValues: Self.percentiles(of: durations).map { ($0.name, $0.value.milliseconds) })
        }
        return Record(
            calls: totals.count, failures: failures, error: firstError?.description, atATime: atATime,
            elapsedMs: elapsed.milliseconds, perSecond: perSecond,
            statuses: Dictionary(uniqueKeysWithValues: statuses.map { ("\($0.key)", $0.value) }), totalMs: named(totals),
            firstByteMs: named(firstBytes))
    }
}
