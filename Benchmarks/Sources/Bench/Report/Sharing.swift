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

    private func busiest(_ row: Row, _ one: Row) -> String {
        guard let now = row.busiestPerThousand, let before = one.busiestPerThousand, before > 0 else { return "–" }
        return digits(now / before)
    }

    private func row(_ label: String, _ client: Client) -> Row? {
        scenarios.first { $0.label == label }?.row(of: client)
    }
}
