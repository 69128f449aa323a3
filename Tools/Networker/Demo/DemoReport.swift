import DemoTours

/// What a run of the demo came to.
struct DemoReport: Sendable {
    let stops: [DemoStop]
    let findings: [DemoFinding]
    /// From start to end, server and all.
    let elapsed: Duration

    /// Which parts failed and why, in words; empty when all went well.
    var failures: [String] {
        stops.compactMap { stop in stop.failure.map { "\(stop.channel) \(stop.feature): \($0.reason)" } }
            + findings.filter { !$0.holds }.map(\.text)
    }
}
