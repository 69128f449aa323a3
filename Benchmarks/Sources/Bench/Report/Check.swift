/// Compares the kit's speed, relative to its peers in the same rounds, with the recorded and promised one.
struct Check {
    private(set) var compared: [String] = []
    private(set) var problems: [String] = []

    /// The loss of a ratio that counts as a problem.
    private static let tolerance = 0.10

    init(_ results: Results, against recorded: Results) {
        for scenario in results.scenarios {
            guard let before = recorded.scenarios.first(where: { $0.label == scenario.label }) else { continue }
            guard let now = scenario.row(of: .kit), let before = before.row(of: .kit) else { continue }
            compare("\(scenario.label), kit", now, before)
        }
        if let now = Self.relative(results, .kit), let before = Self.relative(recorded, .kit) {
            compare("kit: instructions × C", now, before, isLessBetter: true)
        }
        for shape in results.decoding?.shapes ?? [] {
            guard let before = recorded.decoding?.shapes.first(where: { $0.shape == shape.shape }) else { continue }
            compare("\(shape.shape), decoded", shape.decoding.ratio, before.decoding.ratio)
            if let now = shape.encoding, let before = before.encoding {
                compare("\(shape.shape), encoded", now.ratio, before.ratio)
            }
        }
        problems += (results.pipeline?.problems ?? []) + (results.decoding?.problems ?? []) + (Sharing(results)?.problems ?? [])
        if !compared.isEmpty, recorded.machine != results.machine {
            compared.append("recorded on another machine, or with other software: \(recorded.machine)")
        }
    }

    private mutating func compare(_ name: String, _ now: Row, _ before: Row) {
        compare("\(name): requests a second × C", now.ratio, before.ratio)
        compare("\(name): CPU × C", now.cpuRatio, before.cpuRatio, isLessBetter: true)
        if let now = now.ratioToAHC, let before = before.ratioToAHC { compare("\(name): × AHC", now, before) }
        // In other scenarios memory is mostly the start of a Swift process.
        if name.hasPrefix("s6-") { compare("\(name): peak × C", now.peakRatio, before.peakRatio, isLessBetter: true) }
        if now.requested - now.completed > before.requested - before.completed {
            problems.append("\(name): \(now.completed) of \(now.requested) completed; recorded were \(before.completed)")
        }
    }

    private static func relative(_ results: Results, _ client: Client) -> Double? {
        guard let all = results.instructions?.perRequest, let kit = all[client.rawValue], let raw = all[Client.rawc.rawValue]
        else { return nil }
        return Double(kit.all) / Double(raw.all)
    }

    private mutating func compare(_ what: String, _ now: Double, _ before: Double, isLessBetter: Bool = false) {
        let line = "\(what) \(Self.rounded(now)), recorded \(Self.rounded(before))"
        compared.append(line)
        if isLessBetter ? now > before * (1 + Self.tolerance) : now < before * (1 - Self.tolerance) { problems.append(line) }
    }

    private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
