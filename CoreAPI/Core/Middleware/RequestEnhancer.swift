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

    /// Changes the response or its result. A verifier turns a success into a failure here. `response = response.map { … }`
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
