import Foundation

/// Cells in columns: aligned for a terminal, or with bars for Markdown. The first column is text, the others are numbers.
struct Table {
    let heads: [String]
    let rows: [[String]]

    var text: String {
        let widths = heads.indices.map { column in ([heads] + rows).map { $0[column].count }.max() ?? 0 }
        return ([heads] + rows).map { row in
            zip(row, widths).enumerated().map { index, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return index == 0 ? cell.0 + padding : padding + cell.0
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    var markdown: String {
        let rule = ["---"] + heads.dropFirst().map { _ in "---:" }
        return ([heads, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }
}

extension Table {
    init(_ scenario: ScenarioResults) {
        if let unit = StreamUnit(scenario.label) {
            self.init(scenario, in: unit)
        } else {
            self.init(requests: scenario)
        }
    }

    private init(_ scenario: ScenarioResults, in unit: StreamUnit) {
        let comparesAHC = scenario.label.hasPrefix("s11-")
        heads =
            ["client", unit.name, "× C"] + (comparesAHC ? ["× AHC"] : [])
            + ["CPU s each", "× C", "peak MB", "× C", "completed"]
        rows = scenario.rows.map { row in
            [row.client.title + (comparesAHC ? unit.note(row.client) : ""), whole(row.requestsPerSecond * unit.each)]
                + [digits(row.ratio)] + (comparesAHC ? [row.ratioToAHC.map(digits) ?? "–"] : [])
                + [
                    String(format: "%.2f", row.cpuPerThousand / 1_000), digits(row.cpuRatio), whole(Double(row.peak) / 1e6),
                    digits(row.peakRatio), completed(row),
                ]
        }
    }

    private init(requests scenario: ScenarioResults) {
        let comparesDecoding = scenario.label == "s5" || scenario.label == "s7"
        heads =
            ["client", "req/s", "× C"] + (comparesDecoding ? ["× AHC"] : [])
            + ["wall s", "CPU s/1,000", "× C", "p50 µs", "p99 µs", "× C", "peak MB", "× C", "connections", "completed"]
        rows = scenario.rows.map { row in
            let decoded = row.client.isRaw ? ", body only" : row.client == .bare ? ", and the kit's decoder" : ""
            let name = row.client.title + (comparesDecoding ? decoded : "")
            return [name, whole(row.requestsPerSecond), digits(row.ratio)]
                + (comparesDecoding ? [row.ratioToAHC.map(digits) ?? "–"] : [])
                + [
                    digits(row.wall), String(format: "%.4f", row.cpuPerThousand), digits(row.cpuRatio), whole(row.p50),
                    whole(row.p99),
                    digits(row.p99Ratio), whole(Double(row.peak) / 1e6), digits(row.peakRatio),
                    row.connections.map(String.init) ?? "–", completed(row),
                ]
        }
    }
}

private func completed(_ row: Row) -> String {
    row.completed == row.requested ? "all" : "\(row.completed) of \(row.requested)"
}

func whole(_ value: Double) -> String {
    var digits = String(Int(value.rounded()))
    var grouped = ""
    while digits.count > 3 {
        grouped = "," + digits.suffix(3) + grouped
        digits.removeLast(3)
    }
    return digits + grouped
}

/// Two decimals, three for a value below 0.1.
func digits(_ value: Double) -> String {
    String(format: value != 0 && abs(value) < 0.1 ? "%.3f" : "%.2f", value)
}
