import NetworkerCommand
import NetworkerKitTours

extension DemoReport {
    /// The report for programs.
    struct Record: Encodable {
        struct Feature: Encodable {
            let channel: String
            let feature: String
            let error: String?
            let sample: DemoSample?
            let exchanges: [ExchangeRecord]
        }

        let ok: Bool
        let elapsedMs: Double
        let features: [Feature]
        let findings: [DemoFinding]
        let failures: [String]
    }

    var record: Record {
        Record(
            ok: failures.isEmpty, elapsedMs: elapsed.milliseconds,
            features: stops.map { stop in
                Record.Feature(
                    channel: stop.channel, feature: stop.feature, error: stop.failure?.reason, sample: try? stop.result.get(),
                    exchanges: stop.exchanges.map(ExchangeRecord.init))
            },
            findings: findings, failures: failures)
    }
}
