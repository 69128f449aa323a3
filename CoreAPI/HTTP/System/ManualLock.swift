internal import Foundation

/// A lock that is locked and unlocked by hand, for `_modify` accessors. Elsewhere use ``Mutex``, which takes a closure.
///
/// Not `NSLock`, because that links all of Foundation into a static binary.
///
/// `@unchecked`: only the system's functions use the pointer.
package final class ManualLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func lock() {
        pthread_mutex_lock(mutex)
    }

    package func unlock() {
        pthread_mutex_unlock(mutex)
    }
}
