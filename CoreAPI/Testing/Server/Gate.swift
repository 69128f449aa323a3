/// A gate between a test and a reply, closed at first, opened once.
///
/// One side opens the gate and the other waits for it. ``ServerReply/Step/waitFor(_:)`` holds a reply until the test opens the
/// gate. ``ServerReply/Step/open(_:)`` lets the test wait until the reply has reached that step. Neither needs a sleep.
public final class Gate: Sendable {
    let latch: Latch
    private let opened = Watched(false)

    /// Makes a closed gate.
    ///
    /// - Throws: ``LoopbackServerError/systemCall(_:code:)`` if the process has no descriptors left.
    public init() throws(LoopbackServerError) {
        latch = try Latch()
    }

    /// Whether the gate was opened.
    public var isOpen: Bool { opened.value }

    /// Opens the gate for all present and future waiters. A second call does nothing.
    public func open() {
        latch.open()
        opened.update { $0 = true }
    }

    /// Waits until the gate is open.
    ///
    /// - Throws: ``LoopbackServerError/timedOut(_:)`` if it is not opened in time, `CancellationError` if the task is cancelled.
    public func waitUntilOpen(timeout: Duration = .seconds(5)) async throws {
        guard try await opened.wait(timeout, until: { $0 }) == .met else {
            throw LoopbackServerError.timedOut("waited for a gate to be opened, after \(timeout)")
        }
    }
}
