public import Foundation

/// Changes a request once per call before its first attempt, and a response once per attempt after it arrives.
///
/// Use an enhancer to carry out a ``RequestModifier`` or to do what every request of the channel needs. Use a
/// ``RequestInterceptor`` for what must wait or differ between attempts. Synchronous, on the pipeline's thread, never the main
/// one. Enhancers run from high to low priority, in the order of the channel among equals, and in the same order both ways: the
/// lowest sees the final request and the final response.
public protocol RequestEnhancer: Sendable, RequestEnhancerSpellings {
    /// Where this kind of enhancer stands. Default `.normal`.
    static var priority: Priority { get }
    /// Where this one stands, if not where its kind does.
    var instancePriority: Priority? { get }

    /// Changes the request. Throwing ends the call with ``APIClientError/enhancing(_:_:)``, or at the stage of the error itself
    /// if it is one of the kit's, ``APIClientError/request(_:_:)`` for a ``RequestError``.
    func enhance(_ request: inout Request) throws

    /// Changes the response or its result: a verifier turns a success into a failure here, and `response = response.map { … }`
    /// changes what is decoded, while ``Response/data`` stays what was received. What it throws is the attempt's failure,
    /// ``APIClientError/enhancing(_:_:)``.
    func deenhance(_ response: inout Response<Data>) throws
}

extension RequestEnhancer {
    public static var priority: Priority { .normal }
    public var instancePriority: Priority? { nil }
    public func enhance(_ request: inout Request) throws {}
    public func deenhance(_ response: inout Response<Data>) {}

    var effectivePriority: Priority { instancePriority ?? Self.priority }
}
