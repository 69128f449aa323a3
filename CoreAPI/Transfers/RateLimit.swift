internal import CoreAPIHTTP

/// Limits all readers together to a number of bytes per second.
final class RateLimit: Sendable {
    private let bytesPerSecond: Double
    /// The time at which the bytes so far are due.
    private let due = Mutex(ContinuousClock.now)

    init?(_ bytesPerSecond: Int?) {
        guard let bytesPerSecond else { return nil }
        self.bytesPerSecond = Double(max(bytesPerSecond, 1))
    }

    /// Waits until the reader may read more bytes. Meanwhile the transport stops reading, and the server stops sending.
    func wait(after count: Int) async throws {
        let time = due.withLock { due in
            // After a pause at most a tenth of a second is caught up.
            due = max(due, .now - .milliseconds(100)) + .seconds(Double(count) / bytesPerSecond)
            return due
        }
        if time > .now { try await Task.sleep(until: time) }
    }
}
