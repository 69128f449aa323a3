/// The priority of an enhancer among the others; higher runs first.
public struct Priority: Sendable, Hashable, Comparable {
    private let value: Int

    private init(value: Int) {
        self.value = value
    }

    /// After everything else: sees the final request and response.
    public static let low = Priority(value: -100)
    /// Between ``low`` and ``high``; the default.
    public static let normal = Priority(value: 0)
    /// Before hooks of normal priority.
    public static let high = Priority(value: 100)
    /// The built-in enhancers; that of the cache policy is one step below. Any higher priority precedes them.
    public static let core = Priority(value: 1_000)
    /// Before everything else.
    public static let max = Priority(value: .max)

    /// Any other value: `.low` is -100, `.normal` 0, `.high` 100 and `.core` 1,000.
    public static func custom(_ value: Int) -> Priority { Priority(value: value) }

    /// One step above this priority.
    public var more: Priority { Priority(value: value == .max ? value : value + 1) }
    /// One step below this priority.
    public var less: Priority { Priority(value: value == .min ? value : value - 1) }

    public static func < (lhs: Priority, rhs: Priority) -> Bool { lhs.value < rhs.value }
}
