internal import CoreAPIHTTP

/// The kit's own, where the standard library's is visible as well.
typealias Mutex = CoreAPIHTTP.Mutex
