public import Foundation

/// Changes a request once per call before its first attempt, and the outcome of each attempt, with or without a response.
///
/// Use an enhancer to apply a ``RequestModifier`` or for a change to every request of the channel. Use a ``RequestInterceptor``
/// for a change that must wait or differ between attempts.
///
/// Synchronous, in Swift's thread pool, never on the main actor. `enhance` and `deenhance` both run from high to low priority,
/// and among equals in the order of the channel. So the lowest priority sees the final request and the final response.
public protocol RequestEnhancer: Stage.Hook {
    /// The priority of this type of enhancer. Default `.normal`.
    static var priority: Priority { get }
    /// The priority of this instance, if it differs from its type's.
    var instancePriority: Priority? { get }
    /// The priority that applies. Default ``instancePriority``, else the type's.
    var priority: Priority { get }

    /// Changes the request. An error that it throws ends the call with ``APIClientError/enhancing(_:_:)``. The kit's own errors
    /// keep their stage: a ``RequestError`` becomes ``APIClientError/request(_:_:)``.
    func enhance(_ request: inout Request) throws

    /// Changes the response or its result: a verifier turns a success into a failure here, and `response = response.map { … }`
    /// changes the bytes to decode, while ``Response/data`` stays as received. An error that it throws is the attempt's failure,
    /// ``APIClientError/deenhancing(_:_:)``, unless the transport has failed before.
    func deenhance(_ response: inout Response<Data>) throws
}

extension RequestEnhancer {
    public static var priority: Priority { .normal }
    public var instancePriority: Priority? { nil }
    public func enhance(_ request: inout Request) throws {}
    public func deenhance(_ response: inout Response<Data>) {}
    public var priority: Priority { instancePriority ?? Self.priority }
}

/// The priority of an enhancer among the others; higher runs first.
public struct Priority: Sendable, Hashable, Comparable {
    private let value: Int

    /// After everything else: sees the final request and response.
    public static let low = Priority(value: -100)
    /// Between ``low`` and ``high``; the default.
    public static let normal = Priority(value: 0)
    /// Before hooks of normal priority.
    public static let high = Priority(value: 100)
    /// The built-in enhancers; that of the cache policy is one step below.
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
