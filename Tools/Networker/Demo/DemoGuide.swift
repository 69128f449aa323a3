import CoreAPI

/// Leads through one channel's features and writes down what each came to.
@MainActor
final class DemoGuide {
    private let channel: String
    private let recorder: CallRecorder
    private(set) var stops: [DemoStop] = []

    init(channel: String, recorder: CallRecorder) {
        self.channel = channel
        self.recorder = recorder
    }

    /// Uses one feature.
    ///
    /// - Parameters:
    ///   - feature: stands in the table.
    ///   - fetch: calls the interactor.
    ///   - sample: what to show of the answer.
    /// - Returns: the answer, for features that need something of it; `nil` when it failed, which is written down.
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

    /// Writes down a feature that could not be used, because another brought nothing to use it with.
    func skip(_ feature: String, _ reason: String) {
        note(feature, .failure(DemoFailure("not tried: \(reason)")))
    }

    private func note(_ feature: String, _ result: Result<DemoSample, DemoFailure>) {
        stops.append(DemoStop(channel: channel, feature: feature, calls: recorder.takeFinished(), result: result))
    }
}
