import TestSupport

@testable import NetworkerCommand

@Suite("The percentiles of repeated calls")
struct RepetitionTests {
    private func repetition(_ count: Int) -> Repetition {
        let totals = (0..<count).map { Duration.milliseconds($0 + 1) }
        return Repetition(
            elapsed: .seconds(1), atATime: 1, totals: totals, firstBytes: totals, statuses: [200: count], failures: 0,
            firstError: nil)
    }

    @Test(
        "are those that the number of calls supports",
        arguments: [
            (1, ["min", "max"]), (2, ["min", "max"]), (3, ["min", "p50", "max"]), (9, ["min", "p50", "max"]),
            (10, ["min", "p50", "p90", "max"]), (99, ["min", "p50", "p90", "max"]),
            (100, ["min", "p50", "p90", "p99", "max"]),
        ])
    func percentiles(count: Int, names: [String]) {
        let repetition = repetition(count)
        #expect(Repetition.percentiles(of: repetition.totals).map(\.name) == names)
        #expect(repetition.record.totalMs.keys.sorted() == names.sorted())
        let lines = repetition.rendered().split(separator: "\n")
        #expect(lines.contains { $0.split(separator: " ").map(String.init) == names }, "\(repetition.rendered())")
    }

    @Test("are taken by the nearest rank")
    func rank() {
        let values = Repetition.percentiles(of: repetition(200).totals).map { Int($0.value / .milliseconds(1)) }
        #expect(values == [1, 100, 180, 198, 200])
    }

    @Test(
        "have a histogram of one step for each five calls", arguments: [(1, 0), (9, 0), (10, 2), (50, 10), (99, 10), (200, 11)])
    func histogram(count: Int, steps: Int) {
        #expect(repetition(count).rendered().split(separator: "\n").count { $0.contains("≤") } == steps)
    }
}
