/// Compares the kit's speed, relative to its peers in the same rounds, with the recorded and promised one.
///
/// A figure is compared with the worst round of the record, because on a busy machine the rounds of one
/// record may differ by more than the tolerance. A record without rounds has only its median.
struct Check {
    private(set) var compared: [String] = []
    private(set) var problems: [String] = []

    /// The loss of a ratio, beyond the recorded rounds, that counts as a problem.
    private static let tolerance = 0.10

    init(_ results: Results, against recorded: Results) {
        for scenario in results.scenarios {
            guard let before = recorded.scenarios.first(where: { $0.label == scenario.label }) else { continue }
            guard let now = scenario.row(of: .kit), let before = before.row(of: .kit) else { continue }
            compare("\(scenario.label), kit", now, before)
        }
        if let now = Self.relative(results, .kit), let before = Self.relative(recorded, .kit) {
            compare("kit: instructions × C", now, before, nil, isLessBetter: true)
        }
        for shape in results.decoding?.shapes ?? [] {
            guard let before = recorded.decoding?.shapes.first(where: { $0.shape == shape.shape }) else { continue }
            compare("\(shape.shape), decoded", shape.decoding.ratio, before.decoding.ratio, before.decoding.spread)
            if let now = shape.encoding, let before = before.encoding {
                compare("\(shape.shape), encoded", now.ratio, before.ratio, before.spread)
            }
        }
        problems += (results.pipeline?.problems ?? []) + (results.decoding?.problems ?? [])
        // A promise that the record misses is only compared with the record, above. Otherwise no check would pass before it is
        // kept.
        problems += StreamPromises(results).problems(notIn: StreamPromises(recorded))
        problems += Sharing(results)?.problems(notIn: Sharing(recorded)) ?? []
        if !compared.isEmpty, recorded.machine != results.machine {
            compared.append("recorded on another machine, or with other software: \(recorded.machine)")
        }
    }

    private mutating func compare(_ name: String, _ now: Row, _ before: Row) {
        let spreads = before.spreads
        compare("\(name): requests a second × C", now.ratio, before.ratio, spreads?.ratio)
        compare("\(name): CPU × C", now.cpuRatio, before.cpuRatio, spreads?.cpuRatio, isLessBetter: true)
        if let now = now.ratioToAHC, let before = before.ratioToAHC {
            compare("\(name): × AHC", now, before, spreads?.ratioToAHC)
        }
        // In other scenarios memory is mostly the start of a Swift process.
        if name.hasPrefix("s6-") {
            compare("\(name): peak × C", now.peakRatio, before.peakRatio, spreads?.peakRatio, isLessBetter: true)
        }
        if now.requested - now.completed > before.requested - before.completed {
            problems.append("\(name): \(now.completed) of \(now.requested) completed; recorded were \(before.completed)")
        }
    }

    private static func relative(_ results: Results, _ client: Client) -> Double? {
        guard let all = results.instructions?.perRequest, let kit = all[client.rawValue], let raw = all[Client.rawc.rawValue]
        else { return nil }
        return Double(kit.all) / Double(raw.all)
    }

    private mutating func compare(
        _ what: String, _ now: Double, _ before: Double, _ spread: Spread?, isLessBetter: Bool = false
    ) {
        let rounds = spread.map { " (\(Self.short($0.lowest)) to \(Self.short($0.highest)))" } ?? ""
        let line = "\(what) \(Self.short(now)), recorded \(Self.short(before))\(rounds)"
        compared.append(line)
        let isWorse =
            isLessBetter
            ? now > (spread?.highest ?? before) * (1 + Self.tolerance)
            : now < (spread?.lowest ?? before) * (1 - Self.tolerance)
        if isWorse { problems.append(line) }
    }

    private static func short(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
