internal import CoreAPILock

/// The kit's, where the standard library's is in sight as well.
typealias Mutex = CoreAPILock.Mutex
