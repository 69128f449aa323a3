internal import CoreAPIBase

/// The kit's, where the standard library's is in sight as well.
typealias Mutex = CoreAPIBase.Mutex
