package import CoreAPI
import CoreAPIHTTP

/// Records calls without changes to features, as a listener of their channel.
package final class CallRecorder: Listener {
    package init() {}

    private let calls = Mutex<[RecordedCall]>([])

    package func notify(_ event: CallEvent) {
        switch event {
        case .built(let attempt): change(attempt.call) { _ in }
        case .queued(let attempt):
            let now = ContinuousClock.now
            change(attempt.call) { $0.begin(attempt, at: now) }
        case .exchanged(let attempt, let response): change(attempt.call) { $0.end(response) }
        case .read(let attempt, let error): change(attempt.call) { $0.note(error) }
        case .retrying(let response, let delay): change(response.call) { $0.pause = delay }
        case .finished(let response):
            let elapsed = response.call.started.duration(to: .now)
            change(response.call) { $0.outcome = RecordedCall.Outcome(error: response.error, elapsed: elapsed) }
        default: break
        }
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
