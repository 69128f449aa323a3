import Foundation

/// The content of results.json and of `--json`.
struct Results: Codable {
    var machine: Machine
    var scenarios: [ScenarioResults]
    var instructions: Instructions?
    var pipeline: PipelineCost?
    var decoding: JSONResults?

    /// Merges older results into these, for scenarios that were not measured again. Results of another machine or other
    /// software are dropped, unless this run measured no scenario and only writes the page again.
    func merged(over older: Results?) -> Results {
        if let older, scenarios.isEmpty, instructions == nil, pipeline == nil, decoding == nil { return older }
        var merged = self
        if let older, older.machine == machine {
            merged.scenarios += older.scenarios.filter { old in !scenarios.contains { $0.label == old.label } }
            merged.instructions = instructions ?? older.instructions
            merged.pipeline = pipeline ?? older.pipeline
            merged.decoding = decoding ?? older.decoding
        }
        merged.scenarios.sort { $0.order < $1.order }
        return merged
    }
}

/// One scenario's medians.
struct ScenarioResults: Codable {
    let label: String
    let date: String
    /// The system's load averages at the start; they show a busy machine.
    let load: String
    let rows: [Row]

    /// In the order of the scenarios' declarations, then by count.
    fileprivate var order: (Int, Int) {
        let position = Scenario.all.firstIndex { label == $0.name || label.hasPrefix($0.name + "-") } ?? Scenario.all.count
        return (position, rows.first?.requested ?? 0)
    }

    func row(of client: Client) -> Row? { rows.first { $0.client == client } }
}

/// One client's medians in a scenario. Fields that end in `Ratio` are relative to raw C in the same round: the mean of the runs
/// before and after.
struct Row: Codable {
    let client: Client
    let runs: Int
    let requested: Int
    /// The lowest count of any run.
    let completed: Int
    let wall: Double
    let wallRatio: Double
    let requestsPerSecond: Double
    let ratio: Double
    /// Relative to async-http-client's ratio.
    let ratioToAHC: Double?
    let cpuPerThousand: Double
    let cpuRatio: Double
    let p50: Double
    let p99: Double
    let p99Ratio: Double
    let peak: Int
    let peakRatio: Double
    let connections: Int?
    /// Processor seconds of the busiest I/O thread.
    let busiestPerThousand: Double?
    let failure: String?
    /// Missing in older records.
    let spreads: Spreads?

    /// How far apart the rounds are, for the figures that a check compares.
    struct Spreads: Codable {
        let ratio: Spread?
        let ratioToAHC: Spread?
        let cpuRatio: Spread?
        let peakRatio: Spread?
    }
}

/// The lowest and the highest round of a figure.
struct Spread: Codable, Equatable {
    let lowest: Double
    let highest: Double

    /// - Returns: `nil` for fewer than two rounds, because one round does not show how far apart they are.
    init?(_ rounds: [Double]) {
        guard rounds.count > 1, let lowest = rounds.min(), let highest = rounds.max() else { return nil }
        (self.lowest, self.highest) = (rounded(lowest), rounded(highest))
    }
}

/// Five digits; further digits are noise.
func rounded(_ value: Double) -> Double { Double(String(format: "%.5g", value)) ?? 0 }
