import CoreAPI
import CoreAPILock

/// Records calls without changes to features. Attach it to a channel as a listener.
///
/// ```swift
/// let recorder = CallRecorder()
/// channel.listeners.append(recorder)
/// ```
final class CallRecorder: Listener {
    private let calls = Mutex<[RecordedCall]>([])

    func built(_ event: CallEvent.Built) { change(event.attempt.call) { _ in } }

    func queued(_ event: CallEvent.Queued) {
        let now = ContinuousClock.now
        change(event.attempt.call) { $0.begin(event.attempt, at: now) }
    }

    func exchanged(_ event: CallEvent.Exchanged) { change(event.attempt.call) { $0.end(event.reply) } }

    func read(_ event: CallEvent.Read) { change(event.attempt.call) { $0.note(event.error) } }

    func retrying(_ event: CallEvent.Retrying) { change(event.response.call) { $0.pause = event.delay } }

    func finished(_ event: CallEvent.Finished) {
        let response = event.response
        let elapsed = response.call.started.duration(to: .now)
        change(response.call) { $0.outcome = RecordedCall.Outcome(error: response.error, elapsed: elapsed) }
    }

    private func change(_ call: Call, _ change: (inout RecordedCall) -> Void) {
        calls.withLock { calls in
            if let index = calls.firstIndex(where: { $0.id == call.id }) {
                change(&calls[index])
            } else {
                var new = RecordedCall(call)
                change(&new)
                calls.append(new)
            }
        }
    }

    /// Removes and returns the finished calls, in the order in which they began.
    func takeFinished() -> [RecordedCall] {
        calls.withLock { calls in
            let finished = calls.filter { $0.outcome != nil }
            calls.removeAll { $0.outcome != nil }
            return finished
        }
    }
}
