/// The results of the calls.
struct Tally: Sendable {
    private(set) var ends: [String: [String: Int]] = [:]
    /// The first few unexpected results.
    private(set) var surprises: [String] = []
    private(set) var surpriseCount = 0
    private(set) var longest = Duration.zero

    mutating func count(_ scenario: Scenario, _ label: String, took: Duration) {
        ends[scenario.name, default: [:]][label, default: 0] += 1
        longest = max(longest, took)
    }

    mutating func note(_ surprise: String) {
        surpriseCount += 1
        if surprises.count < 20 { surprises.append(surprise) }
    }

    var byLabel: [(label: String, count: Int)] {
        ends.values.reduce(into: [String: Int]()) { $0.merge($1) { $0 + $1 } }.sorted { $0.value > $1.value }
            .map { ($0.key, $0.value) }
    }
}
