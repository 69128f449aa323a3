import TestSupport

@testable import NetworkerCommand
@testable import NetworkerKitDemo
@testable import NetworkerKitTours

@Suite("The demo")
struct DemoRunTests {
    @Test("uses every feature, and keeps its promises")
    func goesWell() async throws {
        let report = try await DemoRun(registry: .standard, tours: [.ty, .dl, .ml, .id]).report()
        #expect(report.failures.isEmpty)
        let channels = [("TY", 4), ("DL", 3), ("ML", 3), ("ID", 3)].flatMap { Array(repeating: $0, count: $1) }
        #expect(report.stops.map(\.channel) == channels && report.stops.flatMap(\.exchanges).count == 18)
        #expect(report.findings.count == 4)
        let export = try #require(report.stops.first { $0.feature == "catalogue export" })
        #expect(export.exchanges.last?.metrics?.bytesReceived?.readableBytes == "8.2 kB")
        let text = report.rendered(isVerbose: true)
        #expect(!text.contains("id-sandbox-session"), "a secret is shown")
        #expect(try JSONOutput.text(report.record).contains(#""ok" : true"#))
        let readme = try String(contentsOf: TemporaryPackage.kit.appendingPathComponent("README.md"), encoding: .utf8)
        let block = try #require(readme.firstRange(of: "channel  feature"))
        let shown = rows(of: readme[block.lowerBound...].prefix { $0 != "`" })
        #expect(shown.count > 3 && shown.allSatisfy { rows(of: text).contains($0) }, "\(shown)")
        // A promise that was kept, or the last line.
        #expect(text.split(separator: "\n").count { $0.hasPrefix("✓ ") || $0.hasSuffix(": all went well") } == 4 + 1)
    }

    /// Channel, feature, status and protocol of each row of the first table.
    private func rows(of text: some StringProtocol) -> [[String]] {
        text.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("channel ") }.prefix { !$0.isEmpty }
            .map { line in
                let columns = line.components(separatedBy: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
                return [line.hasPrefix(" ") ? "" : columns[0]]
                    + columns.filter { !$0.isEmpty }.dropFirst(line.hasPrefix(" ") ? 0 : 1).prefix(3)
            }
    }

    @Test("shows the progress of its transfers: bars on a terminal, plain lines in a pipe", arguments: [true, false])
    func progress(isTerminal: Bool) async throws {
        let arguments = [CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter", "DemoRunTests.goesWell"]
        // script(1) runs a program in a terminal of its own.
        let line = arguments.map { "'\($0)'" }.joined(separator: " ")
        let outcome = try await Program.run(
            isTerminal ? ["script", "-qec", line, "/dev/null"] : arguments, capturesErrors: true)
        for label in ["TY catalogue export", "DL item offer"] {
            let updates = outcome.text.split(whereSeparator: \.isNewline).filter { $0.contains("\(label)  ") }
            let last = updates.first { $0.contains("100 %") }
            #expect(last?.contains("█") == isTerminal, "\(label): \(outcome.text)")
            #expect(updates.allSatisfy { $0.contains("\u{1B}[K\(label)  ") == isTerminal }, "\(updates)")
        }
    }

    @Test("names a failed feature with the reason, and continues with the others")
    func tellsFailures() async throws {
        let lost = DemoTour(channel: "TY", prefix: "nowhere", walk: DemoTour.ty.walk)
        let report = try await DemoRun(registry: .standard, tours: [lost, .dl, .ml, .id]).report()
        #expect(report.failures.first?.hasPrefix("TY product search: expected a status in 200…299, got 404 [channel TY") == true)
        #expect(report.failures.contains("TY product detail: not tried: the search found no product"))
        #expect(report.stops.filter { $0.channel != "TY" }.allSatisfy { $0.failure == nil })
        #expect(report.record.ok == false)
    }

    @Test("reports a broken promise")
    func noticesAbsence() async throws {
        let report = try await DemoRun(registry: .standard, tours: [.ty]).report()
        #expect(report.failures.contains { $0.hasPrefix("expected DL's order list to be answered 401") })
        #expect(report.failures.contains { $0.hasPrefix("expected ID's checkout to be answered 503") })
    }
}

@Suite("A deadline")
struct DeadlineTests {
    @Test("returns a result that arrives in time")
    func inTime() async throws {
        #expect(try await Deadline(limit: .seconds(60)).run { 7 } == 7)
        await #expect(throws: CancellationError.self) {
            try await Deadline(limit: .seconds(60)).run { () async throws -> Int in throw CancellationError() }
        }
    }

    @Test("does not wait longer, even if the operation ignores cancellation")
    func exceeded() async {
        let start = ContinuousClock.now
        await #expect(throws: Deadline.Exceeded(limit: .milliseconds(20))) {
            try await Deadline(limit: .milliseconds(20)).run { await Task { try? await Task.sleep(for: .seconds(300)) }.value }
        }
        #expect(start.duration(to: .now) < .seconds(120))
    }
}
