// As EndpointSpellings.swift, for the hooks whose requirements have defaults. A method in another library's form would never be
// called.

/// Forms of an interceptor's methods that other libraries use and that ``RequestInterceptor`` does not call. The compiler refuses
/// them and names the right form.
@_documentation(visibility: internal)
public protocol RequestInterceptorSpellings {
    associatedtype _Unadapted
    associatedtype _Adapted
    associatedtype _Asked
    associatedtype _AdaptedLater
    associatedtype _AskedWithSession
    associatedtype _Session
    associatedtype _AdaptedWithSession
    associatedtype _Failed
    associatedtype _Reason
    associatedtype _Answer
    associatedtype _FailedWithSession
    associatedtype _RetrySession
    associatedtype _RetryReason
    associatedtype _AnsweredLater
    associatedtype _AdaptedInPlace
    associatedtype _AdaptedByLabel
    associatedtype _AdaptedByLabelResult
    associatedtype _FailedLater
    associatedtype _FailedReason
    associatedtype _FailedAnswer

    func adapt(_ request: inout _AdaptedInPlace) async throws
    func adapt(request: _AdaptedByLabel) async throws -> _AdaptedByLabelResult
    func retry(_ request: _FailedLater, dueTo error: _FailedReason, completion: _FailedAnswer)
    func adapt(_ request: _Unadapted) async throws -> _Adapted
    func adapt(_ request: _Asked, completion: _AdaptedLater)
    func adapt(_ request: _AskedWithSession, for session: _Session, completion: _AdaptedWithSession)
    func retry(_ response: _Failed, dueTo error: _Reason) async throws -> _Answer
    func retry(_ request: _FailedWithSession, for session: _RetrySession, dueTo error: _RetryReason, completion: _AnsweredLater)

    static func _adaptInPlace(_: _AdaptedInPlace.Type)
    static func _adaptByLabel(_: _AdaptedByLabel.Type)
    static func _retryLater(_: _FailedAnswer.Type)
    static func _adapt(_: _Adapted.Type)
    static func _adaptLater(_: _AdaptedLater.Type)
    static func _adaptWithSession(_: _Session.Type)
    static func _retry(_: _Failed.Type, _: _Reason.Type, _: _Answer.Type)
    static func _retryWithSession(_: _RetrySession.Type)
}

extension RequestInterceptorSpellings {
    public func adapt(_ request: _Absent) async throws -> _Absent { .absent }
    public func adapt(request: _Absent) async throws -> _Absent { .absent }
    public func retry(_ request: _Absent, dueTo error: _Absent, completion: _Absent) {}

    @available(*, unavailable, message: "an interceptor changes a `Request`: `func adapt(_ request: inout Request) async throws`")
    public static func _adaptInPlace(_: _AdaptedInPlace.Type) {}
    @available(*, unavailable, message: "without the label `request:`: `func adapt(_ request: inout Request) async throws`")
    public static func _adaptByLabel(_: _AdaptedByLabel.Type) {}
    @available(
        *, unavailable,
        message:
            "an interceptor is asked by `func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult`"
    )
    public static func _retryLater(_: _FailedAnswer.Type) {}
    public func adapt(_ request: _Absent, completion: _Absent) {}
    public func adapt(_ request: _Absent, for session: _Absent, completion: _Absent) {}
    public func retry(_ request: _Absent, for session: _Absent, dueTo error: _Absent, completion: _Absent) {}

    @available(
        *, unavailable,
        message: "an interceptor changes the request in place: `func adapt(_ request: inout Request) async throws`"
    )
    public static func _adapt(_: _Adapted.Type) {}
    @available(
        *, unavailable,
        message: "an interceptor awaits and has no completion: `func adapt(_ request: inout Request) async throws`"
    )
    public static func _adaptLater(_: _AdaptedLater.Type) {}
    @available(
        *, unavailable, message: "an interceptor awaits and has no session: `func adapt(_ request: inout Request) async throws`"
    )
    public static func _adaptWithSession(_: _Session.Type) {}
    @available(
        *, unavailable,
        message:
            "an interceptor is asked by `func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult`"
    )
    public static func _retry(_: _Failed.Type, _: _Reason.Type, _: _Answer.Type) {}
    @available(
        *, unavailable,
        message:
            "an interceptor is asked by `func retry(_ response: Response<Void>, dueTo error: APIClientError) async -> RetryResult`"
    )
    public static func _retryWithSession(_: _RetrySession.Type) {}
}

extension RequestInterceptorSpellings where _AdaptedByLabel == _Absent {
    public static func _adaptByLabel(_: _AdaptedByLabel.Type) {}
}
extension RequestInterceptorSpellings where _FailedAnswer == _Absent { public static func _retryLater(_: _FailedAnswer.Type) {} }
extension RequestInterceptorSpellings where _Adapted == _Absent { public static func _adapt(_: _Adapted.Type) {} }
extension RequestInterceptorSpellings where _AdaptedLater == _Absent { public static func _adaptLater(_: _AdaptedLater.Type) {} }
extension RequestInterceptorSpellings where _Session == _Absent { public static func _adaptWithSession(_: _Session.Type) {} }
extension RequestInterceptorSpellings where _RetrySession == _Absent {
    public static func _retryWithSession(_: _RetrySession.Type) {}
}

/// Forms of an enhancer's methods that other libraries use and that ``RequestEnhancer`` does not call. The compiler refuses them
/// and names the right form.
@_documentation(visibility: internal)
public protocol RequestEnhancerSpellings {
    associatedtype _Enhanced
    associatedtype _Deenhanced
    associatedtype _EnhancedByLabel
    associatedtype _DeenhancedByLabel
    associatedtype _EnhancedCopy
    associatedtype _EnhancedResult
    associatedtype _EnhancedCopyByLabel
    associatedtype _EnhancedCopyResult
    associatedtype _DeenhancedCopy
    associatedtype _DeenhancedResult
    associatedtype _DeenhancedCopyByLabel
    associatedtype _DeenhancedCopyResult
    associatedtype _Priority
    associatedtype _InstancePriority

    func enhance(_ request: inout _Enhanced) throws
    func deenhance(_ response: inout _Deenhanced) throws
    func enhance(request: inout _EnhancedByLabel) throws
    func deenhance(response: inout _DeenhancedByLabel) throws
    func enhance(_ request: _EnhancedCopy) throws -> _EnhancedResult
    func enhance(request: _EnhancedCopyByLabel) throws -> _EnhancedCopyResult
    func deenhance(_ response: _DeenhancedCopy) throws -> _DeenhancedResult
    func deenhance(response: _DeenhancedCopyByLabel) throws -> _DeenhancedCopyResult
    static var priority: _Priority { get }
    var instancePriority: _InstancePriority { get }

    static func _enhance(_: _Enhanced.Type)
    static func _deenhance(_: _Deenhanced.Type)
    static func _enhanceByLabel(_: _EnhancedByLabel.Type)
    static func _deenhanceByLabel(_: _DeenhancedByLabel.Type)
    static func _enhanceCopy(_: _EnhancedResult.Type)
    static func _enhanceCopyByLabel(_: _EnhancedCopyResult.Type)
    static func _deenhanceCopy(_: _DeenhancedResult.Type)
    static func _deenhanceCopyByLabel(_: _DeenhancedCopyResult.Type)
    static func _priority(_: _Priority.Type)
    static func _instancePriority(_: _InstancePriority.Type)
}

extension RequestEnhancerSpellings {
    public func enhance(request: inout _Absent) throws {}
    public func deenhance(response: inout _Absent) throws {}
    public func enhance(_ request: _Absent) throws -> _Absent { .absent }
    public func enhance(request: _Absent) throws -> _Absent { .absent }
    public func deenhance(_ response: _Absent) throws -> _Absent { .absent }
    public func deenhance(response: _Absent) throws -> _Absent { .absent }

    @available(*, unavailable, message: "an enhancer changes a `Request`: `func enhance(_ request: inout Request) throws`")
    public static func _enhance(_: _Enhanced.Type) {}
    @available(*, unavailable, message: "an enhancer sees the body's bytes: `func deenhance(_ response: inout Response<Data>)`")
    public static func _deenhance(_: _Deenhanced.Type) {}
    @available(*, unavailable, message: "without the label `request:`: `func enhance(_ request: inout Request) throws`")
    public static func _enhanceByLabel(_: _EnhancedByLabel.Type) {}
    @available(*, unavailable, message: "without the label `response:`: `func deenhance(_ response: inout Response<Data>)`")
    public static func _deenhanceByLabel(_: _DeenhancedByLabel.Type) {}
    @available(
        *, unavailable, message: "an enhancer changes the request in place: `func enhance(_ request: inout Request) throws`"
    )
    public static func _enhanceCopy(_: _EnhancedResult.Type) {}
    @available(
        *, unavailable, message: "an enhancer changes the request in place: `func enhance(_ request: inout Request) throws`"
    )
    public static func _enhanceCopyByLabel(_: _EnhancedCopyResult.Type) {}
    @available(
        *, unavailable, message: "an enhancer changes the response in place: `func deenhance(_ response: inout Response<Data>)`"
    )
    public static func _deenhanceCopy(_: _DeenhancedResult.Type) {}
    @available(
        *, unavailable, message: "an enhancer changes the response in place: `func deenhance(_ response: inout Response<Data>)`"
    )
    public static func _deenhanceCopyByLabel(_: _DeenhancedCopyResult.Type) {}
    @available(*, unavailable, message: "an enhancer's priority is `static var priority: Priority`")
    public static func _priority(_: _Priority.Type) {}
    @available(*, unavailable, message: "an enhancer's own priority is `var instancePriority: Priority?`")
    public static func _instancePriority(_: _InstancePriority.Type) {}
}

extension RequestEnhancerSpellings where _EnhancedByLabel == _Absent {
    public static func _enhanceByLabel(_: _EnhancedByLabel.Type) {}
}
extension RequestEnhancerSpellings where _DeenhancedByLabel == _Absent {
    public static func _deenhanceByLabel(_: _DeenhancedByLabel.Type) {}
}
extension RequestEnhancerSpellings where _EnhancedResult == _Absent {
    public static func _enhanceCopy(_: _EnhancedResult.Type) {}
}
extension RequestEnhancerSpellings where _EnhancedCopyResult == _Absent {
    public static func _enhanceCopyByLabel(_: _EnhancedCopyResult.Type) {}
}
extension RequestEnhancerSpellings where _DeenhancedResult == _Absent {
    public static func _deenhanceCopy(_: _DeenhancedResult.Type) {}
}
extension RequestEnhancerSpellings where _DeenhancedCopyResult == _Absent {
    public static func _deenhanceCopyByLabel(_: _DeenhancedCopyResult.Type) {}
}

/// Names and types of an endpoint provider's members that ``EndpointProvider`` does not read.
@_documentation(visibility: internal)
public protocol EndpointProviderSpellings {
    associatedtype _ImplicitModifiers
    associatedtype _ProviderBaseURL
    associatedtype _ProviderHeaders
    static var implicitModifiers: _ImplicitModifiers { get }
    static var baseURL: _ProviderBaseURL { get }
    static var headers: _ProviderHeaders { get }
    static func _implicitModifiers(_: _ImplicitModifiers.Type)
    static func _providerNames(_: _ProviderBaseURL.Type, _: _ProviderHeaders.Type)
}

extension EndpointProviderSpellings {
    @available(*, unavailable, message: "a provider's modifiers are `static var implicitModifiers: [any RequestModifier]`")
    public static func _implicitModifiers(_: _ImplicitModifiers.Type) {}
}

extension EndpointProviderSpellings {
    public static var baseURL: _Absent { .absent }
    public static var headers: _Absent { .absent }

    @available(
        *, unavailable,
        message:
            "not `baseURL`, `headers`: a provider has `BaseURL` and `Header` in `static var implicitModifiers: [any RequestModifier]`"
    )
    public static func _providerNames(_: _ProviderBaseURL.Type, _: _ProviderHeaders.Type) {}
}

extension EndpointProviderSpellings where _ProviderBaseURL == _Absent, _ProviderHeaders == _Absent {
    public static func _providerNames(_: _ProviderBaseURL.Type, _: _ProviderHeaders.Type) {}
}

/// Names and types of a host's members that ``EnvironmentType`` does not read.
@_documentation(visibility: internal)
public protocol EnvironmentTypeSpellings {
    associatedtype _IsSimulated
    associatedtype _MayBeSimulated
    associatedtype _HostCommonHeaders
    associatedtype _HostSpecificHeaders
    associatedtype _HostHeaders
    associatedtype _HostServerTrustManager
    associatedtype _HostCachePolicy
    associatedtype _HostFixturesType
    var isSimulated: _IsSimulated { get }
    var commonHeaders: _HostCommonHeaders { get }
    var specificHeaders: _HostSpecificHeaders { get }
    var headers: _HostHeaders { get }
    var serverTrustManager: _HostServerTrustManager { get }
    var cachePolicy: _HostCachePolicy { get }
    var fixturesType: _HostFixturesType { get }
    static func _hostNames(
        _: _HostCommonHeaders.Type, _: _HostSpecificHeaders.Type, _: _HostHeaders.Type, _: _HostServerTrustManager.Type,
        _: _HostCachePolicy.Type, _: _HostFixturesType.Type)
    var mayBeSimulated: _MayBeSimulated { get }
    static func _isSimulated(_: _IsSimulated.Type)
    static func _mayBeSimulated(_: _MayBeSimulated.Type)
}

extension EnvironmentTypeSpellings {
    public var mayBeSimulated: _Absent { .absent }

    @available(*, unavailable, message: "whether a host may be simulated is `var isSimulated: Bool`")
    public static func _isSimulated(_: _IsSimulated.Type) {}
    @available(*, unavailable, message: "not `mayBeSimulated`: whether a host may be simulated is `var isSimulated: Bool`")
    public static func _mayBeSimulated(_: _MayBeSimulated.Type) {}
}

extension EnvironmentTypeSpellings {
    public var commonHeaders: _Absent { .absent }
    public var specificHeaders: _Absent { .absent }
    public var headers: _Absent { .absent }
    public var serverTrustManager: _Absent { .absent }
    public var cachePolicy: _Absent { .absent }
    public var fixturesType: _Absent { .absent }

    @available(
        *, unavailable,
        message:
            "not `commonHeaders`, `specificHeaders`, `headers`, `serverTrustManager`, `cachePolicy`, `fixturesType`: a host has a name and a base URL; the rest is the `APIEnvironment`'s that is made of it"
    )
    public static func _hostNames(
        _: _HostCommonHeaders.Type, _: _HostSpecificHeaders.Type, _: _HostHeaders.Type, _: _HostServerTrustManager.Type,
        _: _HostCachePolicy.Type, _: _HostFixturesType.Type
    ) {}
}

extension EnvironmentTypeSpellings
where
    _HostCommonHeaders == _Absent, _HostSpecificHeaders == _Absent, _HostHeaders == _Absent, _HostServerTrustManager == _Absent,
    _HostCachePolicy == _Absent, _HostFixturesType == _Absent
{
    public static func _hostNames(
        _: _HostCommonHeaders.Type, _: _HostSpecificHeaders.Type, _: _HostHeaders.Type, _: _HostServerTrustManager.Type,
        _: _HostCachePolicy.Type, _: _HostFixturesType.Type
    ) {}
}

extension EnvironmentTypeSpellings where _IsSimulated == Bool { public static func _isSimulated(_: _IsSimulated.Type) {} }
extension EnvironmentTypeSpellings where _MayBeSimulated == _Absent {
    public static func _mayBeSimulated(_: _MayBeSimulated.Type) {}
}
