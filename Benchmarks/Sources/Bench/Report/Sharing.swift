/// The results of S8, for clients that share threads, relative to one channel on one loop.
struct Sharing {
    private let scenarios: [ScenarioResults]

    /// - Returns: `nil` if one channel was not measured.
    init?(_ results: Results) {
        scenarios = results.scenarios.filter { $0.label.hasPrefix("s8-") }
        guard scenarios.contains(where: { $0.label == "s8-one" }) else { return nil }
    }

    var table: Table {
        let heads = ["relative to one channel, one loop", "CPU", "busiest loop", "p99"]
        let rows = [Client.kit, .ahc].flatMap { client -> [[String]] in
            guard let one = row("s8-one", client) else { return [] }
            return ["four", "two-loops", "stalled", "flooded", "apart"].compactMap { name in
                guard let row = row("s8-\(name)", client) else { return nil }
                return [
                    "\(client.title), \(name)", digits(row.cpuPerThousand / one.cpuPerThousand), busiest(row, one),
                    digits(row.p99 / one.p99),
                ]
            }
        }
        return Table(heads: heads, rows: rows)
    }

    /// The promises for channels that share threads that the kit misses: what four channels in turn cost, how two loops
    /// divide the work, and what a neighbour does to the 99th percentile.
    var problems: [String] {
        guard let one = row("s8-one", .kit) else { return [] }
        func problem(
            _ name: String, _ what: String, _ bound: Double, than other: String = "without sharing", _ ratio: (Row) -> Double?
        ) -> String? {
            guard let ratio = row("s8-\(name)", .kit).flatMap(ratio), ratio > bound else { return nil }
            return "s8-\(name): \(what) is \(digits(ratio)) × that \(other), at most \(digits(bound)) is promised"
        }
        return [
            problem("four", "CPU", 1.10) { $0.cpuPerThousand / one.cpuPerThousand },
            problem("four", "p99", 1.5) { $0.p99 / one.p99 },
            problem("two-loops", "the busiest loop's CPU", 0.6) { row in
                guard let now = row.busiestPerThousand, let before = one.busiestPerThousand, before > 0 else { return nil }
                return now / before
            },
            problem("stalled", "p99", 1.10) { $0.p99 / one.p99 },
            // A flood takes processor time from the client and its server, on any thread. What sharing costs is the difference
            // to a neighbour on a loop of its own.
            problem("flooded", "p99", 1.10, than: "with a loop of the neighbour's own") { flooded in
                row("s8-apart", .kit).map { flooded.p99 / max(one.p99, $0.p99) }
            },
        ].compactMap { $0 }
    }

    /// The problems, except for figures that the other misses, too.
    func problems(notIn other: Sharing?) -> [String] {
        let known = Set(other?.problems.compactMap { $0.split(separator: " is ").first } ?? [])
        return problems.filter { problem in !problem.split(separator: " is ").prefix(1).contains(where: known.contains) }
    }

    private func busiest(_ row: Row, _ one: Row) -> String {
        guard let now = row.busiestPerThousand, let before = one.busiestPerThousand, before > 0 else { return "–" }
        return digits(now / before)
    }

    private func row(_ label: String, _ client: Client) -> Row? {
        scenarios.first { $0.label == label }?.row(of: client)
    }
}
