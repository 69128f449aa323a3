import Dispatch

/// Tells whether code runs on the main queue, and so on the main actor. Where `dispatchMain` serves the main queue, as on Linux,
/// it is not the main thread that runs it, so that `Thread.isMainThread` would say nothing.
enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    static var isCurrent: Bool {
        mark
        return DispatchQueue.getSpecific(key: key) == true
    }
}
