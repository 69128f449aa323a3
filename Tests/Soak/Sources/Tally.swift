/// The results of the calls.
struct Tally: Sendable {
    private var ends: [String: Int] = [:]
    /// The first few unexpected results.
    private(set) var surprises: [String] = []
    private(set) var surpriseCount = 0
    private(set) var longest = Duration.zero

    mutating func count(_ label: String, took: Duration) {
        ends[label, default: 0] += 1
        longest = max(longest, took)
    }

    mutating func note(_ surprise: String) {
        surpriseCount += 1
        if surprises.count < 20 { surprises.append(surprise) }
    }

    var byLabel: [(key: String, value: Int)] { ends.sorted { $0.value > $1.value } }
}
