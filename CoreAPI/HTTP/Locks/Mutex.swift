internal import Foundation

#if !THREAD_SANITIZER
public import Synchronization
#endif

/// The lock of the kit: the standard library's, except under ThreadSanitizer.
///
/// On Linux the kernel hands over a contended `Synchronization.Mutex` (a priority-inheriting futex). The sanitizer cannot see
/// that, and would report every access behind it as a race. `Scripts/test --sanitize thread` therefore sets THREAD_SANITIZER.
///
/// Public, because the compiler inlines no function of a `package` type into another module: each call then looked up metadata,
/// for 4,000 instructions a request. The underscore keeps it out of the public API, and leaves `Mutex` to the standard library.
public struct _Mutex<State>: ~Copyable, Sendable {
    #if THREAD_SANITIZER
    @usableFromInline let state: LockedState<State>

    @inlinable public init(_ state: sending State) { self.state = LockedState(state) }
    #else
    @usableFromInline let state: Synchronization.Mutex<State>

    @inlinable public init(_ state: sending State) { self.state = Synchronization.Mutex(state) }
    #endif

    /// Runs a function with exclusive access to the state. The function must not use this object again.
    @inlinable public borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try state.withLock(body)
    }
}

package typealias Mutex = _Mutex

#if THREAD_SANITIZER
@usableFromInline
// `@unchecked`: `state` is touched under `lock` only.
final class LockedState<State>: @unchecked Sendable {
    private let lock = ManualLock()
    private var state: State

    @usableFromInline init(_ state: sending State) { self.state = state }

    @usableFromInline
    func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
#endif

/// A lock that is locked and unlocked by hand, for `_modify` accessors. Elsewhere use ``Mutex``, which takes a closure.
///
/// Not `NSLock`, because that links all of Foundation into a static binary.
///
/// `@unchecked`: only the system's functions use the pointer.
package final class ManualLock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    package init() { pthread_mutex_init(mutex, nil) }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func lock() { pthread_mutex_lock(mutex) }
    package func unlock() { pthread_mutex_unlock(mutex) }
}
