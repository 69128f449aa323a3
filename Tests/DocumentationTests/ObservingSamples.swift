import CoreAPI
import CoreAPIHTTP

// Shown on the page "Logging, metrics and tracing"; what they do is tested in ObservingTests and MiddlewareSamplesTests.

/// Counts outcomes, by the label of the error.
final class Metrics: Listener {
    private let counts = Mutex<[String: Int]>([:])

    func notify(_ event: CallEvent) {
        switch event {
        case .finished(let response): count(response.error?.label ?? "success")
        case .retrying: count("retry")
        default: break
        }
    }

    private func count(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

    /// `["success": 7, "retry": 2, "transport.timedOut.idle": 1]`
    var totals: [String: Int] { counts.withLock { $0 } }
}
