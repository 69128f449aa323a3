import Dispatch

/// Reports whether code runs on the main queue, and so on the main actor. `Thread.isMainThread` is no help on Linux: there
/// `dispatchMain` serves the main queue on another thread.
enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    static var isCurrent: Bool {
        mark
        return DispatchQueue.getSpecific(key: key) == true
    }
}
