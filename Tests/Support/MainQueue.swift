internal import Dispatch

/// The queue of the main actor. On Linux its code may run on another thread than the process's first.
public enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the caller runs on it.
    public static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

/// Where it was decoded.
public struct Place: Decodable, Sendable {
    public let isMain: Bool

    public init(from decoder: any Decoder) throws { isMain = MainQueue.isCurrent }
}
