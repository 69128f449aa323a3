#if THREAD_SANITIZER
internal import Foundation
#else
internal import Synchronization
#endif

/// The lock of everything that is built on the core: the standard library's, unless ThreadSanitizer is watching.
///
/// On Linux a contended `Synchronization.Mutex` is handed over by the kernel (a priority-inheriting futex), which the sanitizer
/// cannot see: it would report every access behind it as a race. `Scripts/test --sanitize thread` therefore sets
/// THREAD_SANITIZER.
package struct Mutex<State>: ~Copyable, Sendable {
    #if THREAD_SANITIZER
    private let state: LockedState<State>

    package init(_ state: sending State) {
        self.state = LockedState(state)
    }
    #else
    private let state: Synchronization.Mutex<State>

    package init(_ state: sending State) {
        self.state = Synchronization.Mutex(state)
    }
    #endif

    /// Runs a function alone with the state. It must not come back to this object.
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try state.withLock(body)
    }
}

#if THREAD_SANITIZER
// `@unchecked`: `state` is touched under `lock` only.
private final class LockedState<State>: @unchecked Sendable {
    private let lock = NSLock()
    private var state: State

    init(_ state: sending State) {
        self.state = state
    }

    func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
#endif
