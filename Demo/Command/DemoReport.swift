import NetworkerCommand
import NetworkerKitTours

/// The result of a run of the demo.
struct DemoReport: Sendable {
    let stops: [DemoStop]
    let findings: [DemoFinding]
    /// From start to end, including the server's start.
    let elapsed: Duration

    /// The parts that failed, with reasons; empty if all succeeded.
    var failures: [String] {
        stops.compactMap { stop in stop.failure.map { "\(stop.channel) \(stop.feature): \($0.reason)" } }
            + findings.filter { !$0.holds }.map(\.text)
    }
}
