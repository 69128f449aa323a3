import Foundation
import Testing

@testable import Bench

@Suite("A check against the record")
struct CheckTests {
    private let machine = Machine(processor: "a processor", cores: 2, memory: 8, system: "a system", software: "some software")

    /// The results of rounds in which raw C has 1,000 requests a second and takes 1 s of processor time.
    ///
    /// - Parameter rounds: the kit's figures in the same units.
    private func results(_ rounds: [(requestsPerSecond: Double, cpu: Double)]) -> Results {
        let lines = rounds.flatMap { [line(.rawc, 1_000, 1), line(.kit, $0.requestsPerSecond, $0.cpu), line(.rawc, 1_000, 1)] }
        let scenario = ScenarioResults(label: "s2", date: "2026-01-01", load: "0", rows: Medians.rows(lines))
        return Results(machine: machine, scenarios: [scenario])
    }

    private func line(
        _ client: Client, _ requestsPerSecond: Double, _ cpu: Double, _ label: String = "s2", p99: Double = 1,
        busiest: Double? = nil
    ) -> RunLine {
        RunLine(
            client: client, scenario: label, requested: 1_000, completed: 1_000, wall: 1, cpu: cpu,
            requestsPerSecond: requestsPerSecond, p50: 1, p99: p99, peak: 1, connections: 1, accepted: nil, busiest: busiest,
            failure: nil)
    }

    private let recorded: [(requestsPerSecond: Double, cpu: Double)] = [(500, 3), (600, 2), (700, 1)]

    @Test("accepts a figure within the tolerance of the worst recorded round")
    func within() {
        let check = Check(results([(460, 3.2)]), against: results(recorded))
        #expect(check.problems.isEmpty, "\(check.problems)")
        #expect(check.compared.contains("s2, kit: requests a second × C 0.46, recorded 0.6 (0.5 to 0.7)"), "\(check.compared)")
    }

    @Test("reports a figure beyond it, in either direction")
    func beyond() {
        let check = Check(results([(440, 3.4)]), against: results(recorded))
        #expect(
            check.problems == [
                "s2, kit: requests a second × C 0.44, recorded 0.6 (0.5 to 0.7)",
                "s2, kit: CPU × C 3.4, recorded 2.0 (1.0 to 3.0)",
            ])
    }

    @Test("compares with the median of a record without rounds", arguments: [(550.0, 0), (530.0, 1)])
    func older(requestsPerSecond: Double, problems: Int) throws {
        let encoder = JSONEncoder()
        var text = String(decoding: try encoder.encode(results(recorded)), as: UTF8.self)
        text = text.replacing(/"spreads":\{(?:[^{}]|\{[^{}]*\})*\},?/, with: "").replacing(",}", with: "}")
        #expect(!text.contains("spread"))
        let older = try JSONDecoder().decode(Results.self, from: Data(text.utf8))
        let check = Check(results([(requestsPerSecond, 2)]), against: older)
        #expect(check.problems.count == problems, "\(check.problems)")
    }

    @Test("one round has no spread")
    func oneRound() {
        #expect(results([(500, 1)]).scenarios[0].row(of: .kit)?.spreads == nil)
        #expect(Spread([0.5]) == nil && Spread([0.7, 0.5])?.lowest == 0.5)
    }

    @Test("names each promise about sharing that is missed, a flood relative to a loop of the neighbour's own")
    func sharing() throws {
        func sharing(_ p99: [String: Double]) throws -> Sharing {
            let scenarios = p99.sorted { $0.key < $1.key }.map { name, p99 in
                let kit = line(.kit, 1_000, 1, p99: p99, busiest: name == "two-loops" ? 0.7 : 1)
                let rows = Medians.rows([line(.rawc, 1_000, 1), kit])
                return ScenarioResults(label: "s8-\(name)", date: "2026-01-01", load: "0", rows: rows)
            }
            return try #require(Sharing(Results(machine: machine, scenarios: scenarios)))
        }
        func problems(_ p99: [String: Double]) throws -> [String] {
            try sharing(p99).problems.map { String($0.prefix { $0 != "×" }) }
        }
        let good = ["one": 1.0, "four": 1.4, "stalled": 1.0, "flooded": 2.1, "apart": 2.0]
        #expect(try problems(good).isEmpty)
        #expect(
            try problems(["one": 1, "four": 1.6, "two-loops": 1, "stalled": 1.2, "flooded": 2.3, "apart": 2]) == [
                "s8-four: p99 is 1.60 ", "s8-two-loops: the busiest loop's CPU is 0.70 ", "s8-stalled: p99 is 1.20 ",
                "s8-flooded: p99 is 1.15 ",
            ])
        // A figure that the record misses, too, is only compared with it.
        let (now, before) = (try sharing(["one": 1, "four": 1.6, "stalled": 1.2]), try sharing(["one": 1, "stalled": 1.3]))
        #expect(now.problems(notIn: before).map { String($0.prefix(7)) } == ["s8-four"])
        #expect(now.problems(notIn: nil).count == 2)
    }

    /// The results of one round of a large body, in which raw C has 1 request a second.
    private func stream(_ ratio: Double) -> Results {
        let label = "s9-sequence"
        let lines = [line(.rawc, 1, 1, label), line(.kit, ratio, 1, label), line(.rawc, 1, 1, label)]
        var results = results([(500, 1)])
        results.scenarios = [ScenarioResults(label: label, date: "2026-01-01", load: "0", rows: Medians.rows(lines))]
        return results
    }

    @Test(
        "reports a missed promise of a stream, unless the record misses it, too",
        arguments: [
            (0.33, 0.33, []), (0.95, 0.80, ["promise", "recorded"]), (0.95, 0.88, ["promise"]), (0.33, 0.20, ["recorded"]),
        ])
    func missedPromise(before: Double, now: Double, problems: [String]) {
        let check = Check(stream(now), against: stream(before))
        #expect(check.problems.count == problems.count, "\(check.problems)")
        for word in problems { #expect(check.problems.contains { $0.contains(word) }, "\(check.problems)") }
    }

    @Test("the repository's record is readable, and no worse than itself")
    func record() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../results.json").standardizedFileURL
        let results = try JSONDecoder().decode(Results.self, from: Data(contentsOf: file))
        #expect(!results.scenarios.isEmpty)
        let check = Check(results, against: results)
        #expect(check.compared.count > results.scenarios.count)
        #expect(check.problems.isEmpty, "\(check.problems)")
    }
}
