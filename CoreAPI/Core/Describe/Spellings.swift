internal import CoreAPICoding
public import Foundation

// The right forms of names that CoreAPISpellings watches, for types of the core: the members that are accepted.

extension Parameters: _ForeignContent {}
extension Headers: _ForeignContent {}
extension EndpointSpellings where _Headers == Headers { public static func _headers(_: _Headers.Type) {} }
extension EndpointSpellings where _Params == Parameters? { public static func _params(_: _Params.Type) {} }
extension EndpointSpellings where _Encoding == InputEncoding { public static func _encoding(_: _Encoding.Type) {} }
extension EndpointSpellings where _Modifiers == [any RequestModifier] { public static func _modifiers(_: _Modifiers.Type) {} }
extension EndpointSpellings where _Header == [Header] {
    @available(*, unavailable, message: "not `header`: an endpoint's headers are `var headers: Headers`")
    public static func _header(_: _Header.Type) {}
}

extension RequestInterceptorSpellings where _AdaptedInPlace == Request {
    public static func _adaptInPlace(_: _AdaptedInPlace.Type) {}
}
extension RequestInterceptorSpellings where _Failed == Response<Void>, _Reason == APIClientError, _Answer == RetryResult {
    public static func _retry(_: _Failed.Type, _: _Reason.Type, _: _Answer.Type) {}
}
extension RequestEnhancerSpellings where _Enhanced == Request { public static func _enhance(_: _Enhanced.Type) {} }
extension RequestEnhancerSpellings where _Deenhanced == Response<Data> { public static func _deenhance(_: _Deenhanced.Type) {} }
extension RequestEnhancerSpellings where _Priority == Priority { public static func _priority(_: _Priority.Type) {} }
extension RequestEnhancerSpellings where _InstancePriority == Priority? {
    public static func _instancePriority(_: _InstancePriority.Type) {}
}
extension EndpointProviderSpellings where _ImplicitModifiers == [any RequestModifier] {
    public static func _implicitModifiers(_: _ImplicitModifiers.Type) {}
}

/// A closure in place of a channel's logger.
@_documentation(visibility: internal)
public protocol ChannelSpellings {}

extension ChannelSpellings {
    @available(*, unavailable, message: "wrap the closure: `FunctionLogger { event in … }`")
    public var logger: @Sendable (NetworkEvent) -> Void {
        get { { _ in } }
        set {}
    }
}

extension Request {
    /// Fetcher's form, for the compiler's advice.
    @_documentation(visibility: internal)
    @available(
        *, unavailable,
        message: "not `request.retry`: `try await response.retry(max:delay:)`; in a completion, inside a `Task`"
    )
    public func retry(max: Int = .max, delay: Duration = .zero, failCallback: @escaping () -> Void = {}) {}

    /// The kit's earlier form, for the compiler's advice.
    @_documentation(visibility: internal)
    @available(
        *, unavailable,
        message: "not `request.retry`: `try await response.retry(max:delay:)`; in a completion, inside a `Task`"
    )
    public func retry(max: Int = .max, delay: Duration = .zero, failCallback: @escaping (RetryRefusal) -> Void) {}
}
