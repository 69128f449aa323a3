import Foundation

/// Computes medians from lines in the order of measurement.
enum Medians {
    /// - Parameter lines: the lines of one scenario; every client's line is between two of raw C.
    static func rows(_ lines: [RunLine]) -> [Row] {
        let ratios = Client.allCases.map { client in (client, runs(of: client, in: lines)) }
        let ahc = runs(of: .ahc, in: lines).map(\.ratio)
        return ratios.compactMap { client, runs in runs.isEmpty ? nil : row(client, runs, ahc: ahc) }
    }

    /// One run and the mean of its neighbours.
    private struct Run {
        let line: RunLine
        let neighbours: [RunLine]

        var ratio: Double { relative(\.requestsPerSecond) }

        func relative(_ figure: (RunLine) -> Double) -> Double {
            let mean = neighbours.map(figure).reduce(0, +) / Double(neighbours.count)
            return mean > 0 ? figure(line) / mean : 0
        }
    }

    private static func runs(of client: Client, in lines: [RunLine]) -> [Run] {
        lines.indices.filter { lines[$0].client == client }.compactMap { index in
            let neighbours =
                client == .rawc
                ? [lines[index]]
                : [lines[..<index].last { $0.client == .rawc }, lines[index...].first { $0.client == .rawc }].compactMap { $0 }
            return neighbours.isEmpty ? nil : Run(line: lines[index], neighbours: neighbours)
        }
    }

    private static func row(_ client: Client, _ runs: [Run], ahc: [Double]) -> Row {
        let (ratio, ahcRatio) = (median(runs.map(\.ratio)), median(ahc))
        return Row(
            client: client, runs: runs.count, requested: runs[0].line.requested, completed: runs.map(\.line.completed).min() ?? 0,
            wall: median(runs.map(\.line.wall)), wallRatio: median(runs.map { $0.relative(\.wall) }),
            requestsPerSecond: median(runs.map(\.line.requestsPerSecond)), ratio: ratio,
            ratioToAHC: ahcRatio > 0 && !client.isRaw ? ratio / ahcRatio : nil,
            cpuPerThousand: median(runs.map(\.line.cpuPerThousand)), cpuRatio: median(runs.map { $0.relative(\.cpuPerThousand) }),
            p50: median(runs.map(\.line.p50)), p99: median(runs.map(\.line.p99)),
            p99Ratio: median(runs.map { $0.relative(\.p99) }),
            peak: Int(median(runs.map { Double($0.line.peak) })), peakRatio: median(runs.map { $0.relative { Double($0.peak) } }),
            connections: runs.compactMap { $0.line.accepted ?? $0.line.connections }.max(),
            busiestPerThousand: runs.allSatisfy { $0.line.busiest == nil }
                ? nil : median(runs.compactMap(\.line.busiestPerThousand)),
            failure: runs.compactMap(\.line.failure).first, spreads: spreads(runs, ahc: ahc))
    }

    private static func spreads(_ runs: [Run], ahc: [Double]) -> Row.Spreads? {
        guard runs.count > 1 else { return nil }
        // A client that left out a round cannot be compared round by round.
        let isComparable = runs.count == ahc.count && ahc.allSatisfy { $0 > 0 }
        return Row.Spreads(
            ratio: Spread(runs.map(\.ratio)),
            ratioToAHC: isComparable ? Spread(zip(runs, ahc).map { $0.ratio / $1 }) : nil,
            cpuRatio: Spread(runs.map { $0.relative(\.cpuPerThousand) }),
            peakRatio: Spread(runs.map { $0.relative { Double($0.peak) } }))
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        return rounded((sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2)
    }
}
