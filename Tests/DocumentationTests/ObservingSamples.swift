import CoreAPI
import CoreAPIHTTP

// Shown on the page "Logging, metrics and tracing"; what they do is tested in ObservingTests and MiddlewareSamplesTests.

/// Counts outcomes, by the label of the error.
final class Metrics: Listener {
    private let counts = Mutex<[String: Int]>([:])

    func finished(_ event: CallEvent.Finished) {
        counts.withLock { $0[event.response.error?.label ?? "success", default: 0] += 1 }
    }

    func retrying(_ event: CallEvent.Retrying) { counts.withLock { $0["retry", default: 0] += 1 } }

    /// `["success": 7, "retry": 2, "transport.timedOut.idle": 1]`
    var totals: [String: Int] { counts.withLock { $0 } }
}
