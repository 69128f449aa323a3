import Foundation

/// State behind a lock that ThreadSanitizer understands.
///
/// On Linux, a contended `Synchronization.Mutex` is handed over by the kernel (a priority-inheriting futex), which the sanitizer
/// cannot see: it then reports every access behind it as a race. A test double must not drown the findings about its subject.
final class Guarded<State>: @unchecked Sendable {  // `state` is touched under `lock` only.
    private let lock = NSLock()
    private var state: State

    init(_ state: sending State) {
        self.state = state
    }

    /// Runs a function alone with the state. It must not come back to this object.
    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&state) }
    }
}
