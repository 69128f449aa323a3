internal import CoreAPILock

/// Slows readers down to a number of bytes per second, all together.
final class RateLimit: Sendable {
    private let bytesPerSecond: Double
    /// When the bytes so far are due.
    private let due = Mutex(ContinuousClock.now)

    init?(_ bytesPerSecond: Int?) {
        guard let bytesPerSecond else { return nil }
        self.bytesPerSecond = Double(max(bytesPerSecond, 1))
    }

    /// Waits until more bytes may be read. Meanwhile the transport stops reading, and so does the server.
    func wait(after count: Int) async throws {
        let time = due.withLock { due in
            // A pause is not made up for, but for a tenth of a second.
            due = max(due, .now - .milliseconds(100)) + .seconds(Double(count) / bytesPerSecond)
            return due
        }
        if time > .now { try await Task.sleep(until: time) }
    }
}
