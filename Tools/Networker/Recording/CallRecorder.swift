import CoreAPI

/// Listens to a channel and keeps what its calls did, so that numbers are had of calls that features make, without a change in them.
///
/// ```swift
/// let recorder = CallRecorder(wrapping: channel.logger)
/// channel.logger = recorder
/// ```
final class CallRecorder: NetworkLogger {
    private let wrapped: any NetworkLogger
    private let calls = Mutex<[RecordedCall]>([])

    /// - Parameter logger: hears everything as before.
    init(wrapping logger: any NetworkLogger) {
        wrapped = logger
    }

    func log(_ event: NetworkEvent) {
        wrapped.log(event)
        let now = ContinuousClock.now
        calls.withLock { calls in
            switch event {
            case .sending(let request): calls.call(request.call) { $0.begin(request, at: now) }
            case .retrying(let response, let pause): calls.call(response.call) { $0.end(response, nextAfter: pause) }
            case .finished(let response):
                calls.call(response.call) { call in
                    call.end(response)
                    call.outcome = RecordedCall.Outcome(error: response.error, elapsed: call.started.duration(to: now))
                }
            case .resultHandlerFailed, .pinMismatch, .warning: break
            }
        }
    }

    /// The calls that are over and were not taken yet, in the order in which they began to send.
    func takeFinished() -> [RecordedCall] {
        calls.withLock { calls in
            let finished = calls.filter { $0.outcome != nil }
            calls.removeAll { $0.outcome != nil }
            return finished
        }
    }
}

extension [RecordedCall] {
    fileprivate mutating func call(_ call: Call, change: (inout RecordedCall) -> Void) {
        if let index = firstIndex(where: { $0.id == call.id }) {
            change(&self[index])
        } else {
            var new = RecordedCall(call)
            change(&new)
            append(new)
        }
    }
}
