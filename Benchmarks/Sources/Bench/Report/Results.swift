import Foundation

/// What results.json holds, and what `--json` prints.
struct Results: Codable {
    var machine: Machine
    var scenarios: [ScenarioResults]
    var instructions: Instructions?
    var decoding: JSONResults?

    /// These, and of older ones those that were not measured again. What was measured on another machine, or with other software, is left behind.
    func merged(over older: Results?) -> Results {
        var merged = self
        if let older, older.machine == machine {
            merged.scenarios += older.scenarios.filter { old in !scenarios.contains { $0.label == old.label } }
            merged.instructions = instructions ?? older.instructions
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

/// One client's medians in a scenario. What ends in `Ratio` is relative to raw C in the same round: the mean of the run before and the
/// run after.
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
    let failure: String?
}

/// Instructions that one request at a time costs, all threads together.
struct Instructions: Codable {
    let date: String
    /// By client.
    let perRequest: [String: Int]

    /// - Parameter lines: a client's name, a number of requests and the instructions of the whole process, twice for each client.
    init?(lines: [String], date: String) {
        var counts: [String: [(requests: Int, instructions: Int)]] = [:]
        for line in lines {
            let words = line.split(separator: " ")
            guard words.count == 3, let requests = Int(words[1]), let instructions = Int(words[2]) else { continue }
            counts[String(words[0]), default: []].append((requests, instructions))
        }
        // The difference of two runs knows nothing of the start and the end of the process.
        perRequest = counts.compactMapValues { runs in
            guard let least = runs.min(by: { $0.requests < $1.requests }), let most = runs.max(by: { $0.requests < $1.requests }),
                most.requests > least.requests
            else { return nil }
            return (most.instructions - least.instructions) / (most.requests - least.requests)
        }
        if perRequest.isEmpty { return nil }
        self.date = date
    }
}
