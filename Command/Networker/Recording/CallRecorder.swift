package import CoreAPI
import CoreAPIHTTP

/// Records calls without changes to features, as a listener of their channel.
package final class CallRecorder: Listener {
    package init() {}

    private let calls = Mutex<[RecordedCall]>([])

    package func built(_ event: CallEvent.Built) { change(event.attempt.call) { _ in } }

    package func queued(_ event: CallEvent.Queued) {
        let now = ContinuousClock.now
        change(event.attempt.call) { $0.begin(event.attempt, at: now) }
    }

    package func exchanged(_ event: CallEvent.Exchanged) { change(event.attempt.call) { $0.end(event.response) } }

    package func read(_ event: CallEvent.Read) { change(event.attempt.call) { $0.note(event.error) } }

    package func retrying(_ event: CallEvent.Retrying) { change(event.response.call) { $0.pause = event.delay } }

    package func finished(_ event: CallEvent.Finished) {
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
    package func takeFinished() -> [RecordedCall] {
        calls.withLock { calls in
            let finished = calls.filter { $0.outcome != nil }
            calls.removeAll { $0.outcome != nil }
            return finished
        }
    }
}
