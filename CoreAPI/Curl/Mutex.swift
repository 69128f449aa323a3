internal import CoreAPILock

/// The kit's own, where the standard library's is visible as well.
typealias Mutex = CoreAPILock.Mutex
