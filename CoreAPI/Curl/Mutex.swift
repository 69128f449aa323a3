internal import CoreAPICore

/// The kit's, where the standard library's is in sight as well.
typealias Mutex = CoreAPICore.Mutex
