/// Whether the kit is as fast as it was recorded to be.
struct Check {
    private(set) var compared: [String] = []
    private(set) var problems: [String] = []

    /// What a ratio may lose before it is a problem.
    private static let tolerance = 0.10

    init(_ results: Results, against recorded: Results) {
        for scenario in results.scenarios {
            guard let now = scenario.row(of: .kit),
                let before = recorded.scenarios.first(where: { $0.label == scenario.label })?.row(of: .kit)
            else { continue }
            note("\(scenario.label): ratio", now.ratio, before.ratio, isWorse: now.ratio < before.ratio * (1 - Self.tolerance))
            if now.requested - now.completed > before.requested - before.completed {
                problems.append(
                    "\(scenario.label): \(now.completed) of \(now.requested) completed; recorded were \(before.completed)")
            }
        }
        if let now = Self.relative(results), let before = Self.relative(recorded) {
            note("instructions relative to raw C", now, before, isWorse: now > before * (1 + Self.tolerance))
        }
    }

    private static func relative(_ results: Results) -> Double? {
        guard let all = results.instructions?.perRequest, let kit = all[Client.kit.rawValue], let raw = all[Client.rawc.rawValue]
        else { return nil }
        return Double(kit.all) / Double(raw.all)
    }

    private mutating func note(_ what: String, _ now: Double, _ before: Double, isWorse: Bool) {
        let line = "\(what) \(Self.rounded(now)), recorded \(Self.rounded(before))"
        compared.append(line)
        if isWorse { problems.append(line) }
    }

    private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
