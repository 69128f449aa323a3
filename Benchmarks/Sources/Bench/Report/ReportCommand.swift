import Foundation

/// Makes the requested report from the lines: a table, JSON, files or a verdict.
struct ReportCommand {
    private let arguments: Arguments
    private let results: Results
    private let recorded: Results?

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        let date = Date().formatted(.iso8601.year().month().day())
        let load = arguments.optional("load") ?? "not known"
        let decoder = JSONDecoder()
        let lines = try Self.lines(arguments, "runs").map { try decoder.decode(RunLine.self, from: Data($0.utf8)) }
        let shapes = try Self.lines(arguments, "decoding").map { try decoder.decode(JSONShape.self, from: Data($0.utf8)) }
        var labels: [String] = []
        for line in lines where !labels.contains(line.scenario) { labels.append(line.scenario) }
        results = Results(
            machine: .this(software: arguments.optional("software") ?? "versions not known"),
            scenarios: labels.map { label in
                ScenarioResults(label: label, date: date, load: load, rows: Medians.rows(lines.filter { $0.scenario == label }))
            },
            instructions: Instructions(lines: try Self.lines(arguments, "instructions"), date: date),
            pipeline: try Self.lines(arguments, "pipeline").first.map {
                try decoder.decode(PipelineCost.self, from: Data($0.utf8))
            },
            decoding: JSONResults(shapes, date: date, load: load))
        recorded = try arguments.optional("recorded").flatMap { file in
            FileManager.default.fileExists(atPath: file)
                ? try decoder.decode(Results.self, from: Data(contentsOf: URL(fileURLWithPath: file))) : nil
        }
    }

    private static func lines(_ arguments: Arguments, _ name: String) throws -> [String] {
        guard let file = arguments.optional(name) else { return [] }
        return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Returns the exit code.
    func run() throws -> Int32 {
        if arguments.has("json") {
            print(try json(results), terminator: "")
        } else {
            printTables()
        }
        if let directory = arguments.optional("record") { try record(in: URL(fileURLWithPath: directory)) }
        return arguments.has("check") ? check() : 0
    }

    private func printTables() {
        for scenario in results.scenarios {
            print("\(Scenario.title(of: scenario.label))\n\(Table(scenario).text)")
            for row in scenario.rows { if let failure = row.failure { print("  \(row.client.title) failed with: \(failure)") } }
            print("")
        }
        if let sharing = Sharing(results) { print("S8, the cost of sharing\n\(sharing.table.text)\n") }
        if let instructions = results.instructions {
            print("Instructions a request, one at a time, 1 KiB\n\(Table(instructions).text)\n")
        }
        if let pipeline = results.pipeline { print("The pipeline itself\n\(Table(pipeline).text)\n") }
        if let decoding = results.decoding {
            print("Decoding JSON\n\(Table(decoding).text)\n\nEncoding JSON\n\(Table(encoding: decoding).text)\n")
        }
    }

    private func json(_ results: Results) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(results), as: UTF8.self) + "\n"
    }

    private func record(in directory: URL) throws {
        let all = results.merged(over: recorded)
        for (name, text) in [("results.json", try json(all)), ("RESULTS.md", all.page), ("ratios.svg", Plot(all).svg)] {
            try Data(text.utf8).write(to: directory.appendingPathComponent(name), options: .atomic)
        }
    }

    private func check() -> Int32 {
        guard let recorded else {
            Bench.fail("there are no recorded results to compare with; make them with Scripts/bench --record", status: 2)
        }
        let check = Check(results, against: recorded)
        if check.compared.isEmpty {
            Bench.fail("there are no recorded results of these scenarios; make them with Scripts/bench --record", status: 2)
        }
        for line in check.compared { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
        for problem in check.problems { Bench.warn("worse than the recorded or promised result: \(problem)") }
        return check.problems.isEmpty ? 0 : 1
    }
}
