import Foundation

/// What results.json holds, and what `--json` prints.
struct Results: Codable {
    var machine: Machine
    var scenarios: [ScenarioResults]
    var instructions: Instructions?
    var pipeline: PipelineCost?
    var decoding: JSONResults?

    /// These, and of older ones those that were not measured again. What was measured on another machine, or with other software,
    /// is left behind, unless nothing was measured now and only the page is written anew.
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
    /// The system's load averages when it began, by which a busy machine is known.
    let load: String
    let rows: [Row]

    /// As the scenarios are declared, then by count.
    fileprivate var order: (Int, Int) {
        let position = Scenario.all.firstIndex { label == $0.name || label.hasPrefix($0.name + "-") } ?? Scenario.all.count
        return (position, rows.first?.requested ?? 0)
    }

    func row(of client: Client) -> Row? { rows.first { $0.client == client } }
}

/// One client's medians in a scenario. What ends in `Ratio` is relative to raw C in the same round: the mean of the run before
/// and the run after.
struct Row: Codable {
    let client: Client
    let runs: Int
    let requested: Int
    /// The fewest of any run.
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
    /// Processor seconds of the busiest thread of the connections.
    let busiestPerThousand: Double?
    let failure: String?
}
