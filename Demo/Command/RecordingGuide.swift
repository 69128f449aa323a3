import CoreAPI
import CoreAPITransfers
import NetworkerCommand
import NetworkerKitTours

/// Runs one channel's features and records a stop for each.
@MainActor
final class RecordingGuide: DemoGuide {
    private let channel: String
    private let recorder: CallRecorder
    private(set) var stops: [DemoStop] = []

    init(channel: String, recorder: CallRecorder) {
        self.channel = channel
        self.recorder = recorder
    }

    func visit<Value>(
        _ feature: String, fetch: () async throws -> Value, sample: (Value) -> DemoSample
    ) async -> Value? {
        do {
            let value = try await fetch()
            note(feature, .success(sample(value)))
            return value
        } catch {
            note(feature, .failure(DemoFailure(error.readableDescription)))
            return nil
        }
    }

    func watch(_ feature: String, _ transfer: some Transfer) async {
        await ProgressBar.show(transfer, on: Console.error, label: "\(channel) \(feature)  ")
    }

    func skip(_ feature: String, _ reason: String) {
        note(feature, .failure(DemoFailure("not tried: \(reason)")))
    }

    private func note(_ feature: String, _ result: Result<DemoSample, DemoFailure>) {
        stops.append(DemoStop(channel: channel, feature: feature, calls: recorder.takeFinished(), result: result))
    }
}
