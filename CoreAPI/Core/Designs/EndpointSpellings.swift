public import Foundation
public import HTTPTypes

// An endpoint ported from another library keeps that library's spellings: `headers: [String: String]`, `parameters`, `baseUrl`.
// The kit gives every requirement a default, so the compiler would use the default and ignore the member. The requirements below
// detect such a member. Each has its own type, which Swift infers from the member. A type that the kit does not read selects an
// unavailable witness, and the compiler prints its message. None of this runs.

/// Names and types that other libraries use and that ``Endpoint`` does not read. The compiler refuses an endpoint that has one
/// and names the right spelling.
@_documentation(visibility: internal)
public protocol EndpointSpellings {
    // Right names, possibly with a wrong type.
    associatedtype _BaseURL
    var baseURL: _BaseURL { get }
    static func _baseURL(_: _BaseURL.Type)
    associatedtype _Headers
    var headers: _Headers { get }
    static func _headers(_: _Headers.Type)
    associatedtype _Params
    var params: _Params { get }
    static func _params(_: _Params.Type)
    associatedtype _URL
    var url: _URL { get }
    static func _url(_: _URL.Type)
    associatedtype _Encoding
    var encoding: _Encoding { get }
    static func _encoding(_: _Encoding.Type)
    associatedtype _Modifiers
    var modifiers: _Modifiers { get }
    static func _modifiers(_: _Modifiers.Type)
    associatedtype _KeyPath
    var keyPath: _KeyPath { get }
    static func _keyPath(_: _KeyPath.Type)

    // Names of other libraries, of any type.
    associatedtype _BaseUrlName
    var baseUrl: _BaseUrlName { get }
    associatedtype _BaseURLStringName
    var baseURLString: _BaseURLStringName { get }
    associatedtype _BaseAddressName
    var baseAddress: _BaseAddressName { get }
    associatedtype _SchemeName
    var scheme: _SchemeName { get }
    associatedtype _HostName
    var host: _HostName { get }
    static func _addressNames(
        _: _BaseUrlName.Type, _: _BaseURLStringName.Type, _: _BaseAddressName.Type, _: _SchemeName.Type, _: _HostName.Type)
    associatedtype _HttpMethodName
    var httpMethod: _HttpMethodName { get }
    associatedtype _HTTPMethodName
    var HTTPMethod: _HTTPMethodName { get }
    associatedtype _RequestMethodName
    var requestMethod: _RequestMethodName { get }
    associatedtype _MethodTypeName
    var methodType: _MethodTypeName { get }
    static func _methodNames(
        _: _HttpMethodName.Type, _: _HTTPMethodName.Type, _: _RequestMethodName.Type, _: _MethodTypeName.Type)
    associatedtype _HttpHeaderFieldsName
    var httpHeaderFields: _HttpHeaderFieldsName { get }
    associatedtype _AllHTTPHeaderFieldsName
    var allHTTPHeaderFields: _AllHTTPHeaderFieldsName { get }
    associatedtype _HttpHeadersName
    var httpHeaders: _HttpHeadersName { get }
    associatedtype _HeaderFieldsName
    var headerFields: _HeaderFieldsName { get }
    associatedtype _HeaderParametersName
    var headerParameters: _HeaderParametersName { get }
    associatedtype _AdditionalHeadersName
    var additionalHeaders: _AdditionalHeadersName { get }
    associatedtype _CustomHeadersName
    var customHeaders: _CustomHeadersName { get }
    associatedtype _ExtraHeadersName
    var extraHeaders: _ExtraHeadersName { get }
    associatedtype _RequestHeadersName
    var requestHeaders: _RequestHeadersName { get }
    associatedtype _SpecificHeaderTypesName
    var specificHeaderTypes: _SpecificHeaderTypesName { get }
    static func _headerNames(
        _: _HttpHeaderFieldsName.Type, _: _AllHTTPHeaderFieldsName.Type, _: _HttpHeadersName.Type, _: _HeaderFieldsName.Type,
        _: _HeaderParametersName.Type, _: _AdditionalHeadersName.Type, _: _CustomHeadersName.Type, _: _ExtraHeadersName.Type,
        _: _RequestHeadersName.Type, _: _SpecificHeaderTypesName.Type)
    associatedtype _TaskName
    var task: _TaskName { get }
    associatedtype _HttpBodyName
    var httpBody: _HttpBodyName { get }
    associatedtype _BodyDataName
    var bodyData: _BodyDataName { get }
    associatedtype _BodyParametersName
    var bodyParameters: _BodyParametersName { get }
    associatedtype _BodyParamsName
    var bodyParams: _BodyParamsName { get }
    associatedtype _QueryParametersName
    var queryParameters: _QueryParametersName { get }
    associatedtype _QueryParamsName
    var queryParams: _QueryParamsName { get }
    associatedtype _QueryItemsName
    var queryItems: _QueryItemsName { get }
    associatedtype _UrlParametersName
    var urlParameters: _UrlParametersName { get }
    associatedtype _UrlParamsName
    var urlParams: _UrlParamsName { get }
    associatedtype _UrlQueryItemsName
    var urlQueryItems: _UrlQueryItemsName { get }
    associatedtype _RequestBodyName
    var requestBody: _RequestBodyName { get }
    static func _parameterNames(
        _: _TaskName.Type, _: _HttpBodyName.Type, _: _BodyDataName.Type, _: _BodyParametersName.Type, _: _BodyParamsName.Type,
        _: _QueryParametersName.Type, _: _QueryParamsName.Type, _: _QueryItemsName.Type, _: _UrlParametersName.Type,
        _: _UrlParamsName.Type, _: _UrlQueryItemsName.Type, _: _RequestBodyName.Type)
    associatedtype _ParameterEncodingName
    var parameterEncoding: _ParameterEncodingName { get }
    associatedtype _ParametersEncodingName
    var parametersEncoding: _ParametersEncodingName { get }
    associatedtype _ParamsEncodingName
    var paramsEncoding: _ParamsEncodingName { get }
    associatedtype _BodyEncodingName
    var bodyEncoding: _BodyEncodingName { get }
    associatedtype _RequestEncodingName
    var requestEncoding: _RequestEncodingName { get }
    associatedtype _InputEncodingName
    var inputEncoding: _InputEncodingName { get }
    static func _encodingNames(
        _: _ParameterEncodingName.Type, _: _ParametersEncodingName.Type, _: _ParamsEncodingName.Type, _: _BodyEncodingName.Type,
        _: _RequestEncodingName.Type, _: _InputEncodingName.Type)
    associatedtype _TimeoutIntervalName
    var timeoutInterval: _TimeoutIntervalName { get }
    associatedtype _RequestTimeoutName
    var requestTimeout: _RequestTimeoutName { get }
    static func _timingNames(_: _TimeoutIntervalName.Type, _: _RequestTimeoutName.Type)
    associatedtype _CachePolicyName
    var cachePolicy: _CachePolicyName { get }
    static func _cacheNames(_: _CachePolicyName.Type)
    associatedtype _ValidationTypeName
    var validationType: _ValidationTypeName { get }
    associatedtype _ValidStatusCodesName
    var validStatusCodes: _ValidStatusCodesName { get }
    associatedtype _AcceptableStatusCodesName
    var acceptableStatusCodes: _AcceptableStatusCodesName { get }
    static func _verificationNames(_: _ValidationTypeName.Type, _: _ValidStatusCodesName.Type, _: _AcceptableStatusCodesName.Type)
    associatedtype _AuthorizationTypeName
    var authorizationType: _AuthorizationTypeName { get }
    static func _authorizationNames(_: _AuthorizationTypeName.Type)
    associatedtype _KeyPathForDataName
    var keyPathForData: _KeyPathForDataName { get }
    static func _keyPathNames(_: _KeyPathForDataName.Type)
    associatedtype _SampleDataName
    var sampleData: _SampleDataName { get }
    associatedtype _SampleResponseName
    var sampleResponse: _SampleResponseName { get }
    associatedtype _MockDataName
    var mockData: _MockDataName { get }
    static func _sampleNames(_: _SampleDataName.Type, _: _SampleResponseName.Type, _: _MockDataName.Type)

    // Names that an endpoint may use for its own values.
    associatedtype _Parameters
    var parameters: _Parameters { get }
    static func _parameters(_: _Parameters.Type)
    associatedtype _Body
    var body: _Body { get }
    static func _body(_: _Body.Type)
    associatedtype _Query
    var query: _Query { get }
    static func _query(_: _Query.Type)
    associatedtype _Header
    var header: _Header { get }
    static func _header(_: _Header.Type)
    associatedtype _Timeout
    var timeout: _Timeout { get }
    static func _timeout(_: _Timeout.Type)
}

/// The type of a missing member with another library's name.
@_documentation(visibility: internal)
public enum _Absent: Sendable { case absent }

/// A type that other libraries use for parameters, headers or a body, optional or not.
@_documentation(visibility: internal)
public protocol _ForeignContent {}
extension Dictionary: _ForeignContent {}
extension HTTPFields: _ForeignContent {}
extension Data: _ForeignContent {}
extension Array: _ForeignContent where Element == URLQueryItem {}
extension Optional: _ForeignContent where Wrapped: _ForeignContent {}

// MARK: - Members of a right name

extension EndpointSpellings {
    @available(*, unavailable, message: "an endpoint's base URL is text: `var baseURL: String`, empty for the channel's")
    public static func _baseURL(_: _BaseURL.Type) {}
    @available(
        *, unavailable,
        message: "an endpoint's headers are `var headers: Headers`; a dictionary literal is one, `Headers(dictionary)` makes one"
    )
    public static func _headers(_: _Headers.Type) {}
    @available(
        *, unavailable,
        message:
            "an endpoint's parameters are `var params: Parameters?`; a literal of Encodable values is one, `Parameters(value)` makes one"
    )
    public static func _params(_: _Params.Type) {}
    @available(
        *, unavailable, message: "an endpoint's whole address is text, `var url: String`; usually `baseURL` and `path` are enough"
    )
    public static func _url(_: _URL.Type) {}
    @available(
        *, unavailable,
        message: "an endpoint's encoding is `var encoding: InputEncoding`: `.query`, `.json`, `.form`, `.raw` or one of your own"
    )
    public static func _encoding(_: _Encoding.Type) {}
    @available(*, unavailable, message: "an endpoint's modifiers are `var modifiers: [any RequestModifier]`")
    public static func _modifiers(_: _Modifiers.Type) {}
    @available(*, unavailable, message: "an endpoint's key path is text: `var keyPath: String`, empty for the whole body")
    public static func _keyPath(_: _KeyPath.Type) {}
}

extension EndpointSpellings where _BaseURL == String { public static func _baseURL(_: _BaseURL.Type) {} }
extension EndpointSpellings where _URL == String { public static func _url(_: _URL.Type) {} }
extension EndpointSpellings where _KeyPath == String { public static func _keyPath(_: _KeyPath.Type) {} }

// MARK: - Names of other libraries

extension EndpointSpellings {
    public var baseUrl: _Absent { .absent }
    public var baseURLString: _Absent { .absent }
    public var baseAddress: _Absent { .absent }
    public var scheme: _Absent { .absent }
    public var host: _Absent { .absent }
    @available(
        *, unavailable,
        message:
            "not `baseUrl`, `baseURLString`, `baseAddress`, `scheme`, `host`: an endpoint's base URL is `var baseURL: String`, with its scheme and host"
    )
    public static func _addressNames(
        _: _BaseUrlName.Type, _: _BaseURLStringName.Type, _: _BaseAddressName.Type, _: _SchemeName.Type, _: _HostName.Type
    ) {}

    public var httpMethod: _Absent { .absent }
    public var HTTPMethod: _Absent { .absent }
    public var requestMethod: _Absent { .absent }
    public var methodType: _Absent { .absent }
    @available(
        *, unavailable,
        message: "not `httpMethod`, `HTTPMethod`, `requestMethod`, `methodType`: an endpoint's method is `var method: HTTPMethod`"
    )
    public static func _methodNames(
        _: _HttpMethodName.Type, _: _HTTPMethodName.Type, _: _RequestMethodName.Type, _: _MethodTypeName.Type
    ) {}

    public var httpHeaderFields: _Absent { .absent }
    public var allHTTPHeaderFields: _Absent { .absent }
    public var httpHeaders: _Absent { .absent }
    public var headerFields: _Absent { .absent }
    public var headerParameters: _Absent { .absent }
    public var additionalHeaders: _Absent { .absent }
    public var customHeaders: _Absent { .absent }
    public var extraHeaders: _Absent { .absent }
    public var requestHeaders: _Absent { .absent }
    public var specificHeaderTypes: _Absent { .absent }
    @available(
        *, unavailable,
        message:
            "not `httpHeaderFields`, `allHTTPHeaderFields`, `httpHeaders`, `headerFields`, `headerParameters`, `additionalHeaders`, `customHeaders`, `extraHeaders`, `requestHeaders`, `specificHeaderTypes`: an endpoint's headers are `var headers: Headers`"
    )
    public static func _headerNames(
        _: _HttpHeaderFieldsName.Type, _: _AllHTTPHeaderFieldsName.Type, _: _HttpHeadersName.Type, _: _HeaderFieldsName.Type,
        _: _HeaderParametersName.Type, _: _AdditionalHeadersName.Type, _: _CustomHeadersName.Type, _: _ExtraHeadersName.Type,
        _: _RequestHeadersName.Type, _: _SpecificHeaderTypesName.Type
    ) {}

    public var task: _Absent { .absent }
    public var httpBody: _Absent { .absent }
    public var bodyData: _Absent { .absent }
    public var bodyParameters: _Absent { .absent }
    public var bodyParams: _Absent { .absent }
    public var queryParameters: _Absent { .absent }
    public var queryParams: _Absent { .absent }
    public var queryItems: _Absent { .absent }
    public var urlParameters: _Absent { .absent }
    public var urlParams: _Absent { .absent }
    public var urlQueryItems: _Absent { .absent }
    public var requestBody: _Absent { .absent }
    @available(
        *, unavailable,
        message:
            "not `task`, `httpBody`, `bodyData`, `bodyParameters`, `bodyParams`, `queryParameters`, `queryParams`, `queryItems`, `urlParameters`, `urlParams`, `urlQueryItems`, `requestBody`: an endpoint's parameters are `var params: Parameters?`, and `var encoding: InputEncoding` puts them into query or body"
    )
    public static func _parameterNames(
        _: _TaskName.Type, _: _HttpBodyName.Type, _: _BodyDataName.Type, _: _BodyParametersName.Type, _: _BodyParamsName.Type,
        _: _QueryParametersName.Type, _: _QueryParamsName.Type, _: _QueryItemsName.Type, _: _UrlParametersName.Type,
        _: _UrlParamsName.Type, _: _UrlQueryItemsName.Type, _: _RequestBodyName.Type
    ) {}

    public var parameterEncoding: _Absent { .absent }
    public var parametersEncoding: _Absent { .absent }
    public var paramsEncoding: _Absent { .absent }
    public var bodyEncoding: _Absent { .absent }
    public var requestEncoding: _Absent { .absent }
    public var inputEncoding: _Absent { .absent }
    @available(
        *, unavailable,
        message:
            "not `parameterEncoding`, `parametersEncoding`, `paramsEncoding`, `bodyEncoding`, `requestEncoding`, `inputEncoding`: an endpoint's encoding is `var encoding: InputEncoding`"
    )
    public static func _encodingNames(
        _: _ParameterEncodingName.Type, _: _ParametersEncodingName.Type, _: _ParamsEncodingName.Type, _: _BodyEncodingName.Type,
        _: _RequestEncodingName.Type, _: _InputEncodingName.Type
    ) {}

    public var timeoutInterval: _Absent { .absent }
    public var requestTimeout: _Absent { .absent }
    @available(
        *, unavailable,
        message:
            "not `timeoutInterval`, `requestTimeout`: an endpoint's timeout is a `Timeout` in `var modifiers: [any RequestModifier]`"
    )
    public static func _timingNames(_: _TimeoutIntervalName.Type, _: _RequestTimeoutName.Type) {}

    public var cachePolicy: _Absent { .absent }
    @available(
        *, unavailable,
        message: "not `cachePolicy`: an endpoint's cache policy is a `CachePolicy` in `var modifiers: [any RequestModifier]`"
    )
    public static func _cacheNames(_: _CachePolicyName.Type) {}

    public var validationType: _Absent { .absent }
    public var validStatusCodes: _Absent { .absent }
    public var acceptableStatusCodes: _Absent { .absent }
    @available(
        *, unavailable,
        message:
            "not `validationType`, `validStatusCodes`, `acceptableStatusCodes`: the statuses that an endpoint accepts are a `StatusCodeResponseVerifier` in `var modifiers: [any RequestModifier]`"
    )
    public static func _verificationNames(
        _: _ValidationTypeName.Type, _: _ValidStatusCodesName.Type, _: _AcceptableStatusCodesName.Type
    ) {}

    public var authorizationType: _Absent { .absent }
    @available(
        *, unavailable,
        message:
            "not `authorizationType`: a token is a `BearerAuthentication` in the channel's attemptMiddleware, a header of the endpoint's own is one of `headers`"
    )
    public static func _authorizationNames(_: _AuthorizationTypeName.Type) {}

    public var keyPathForData: _Absent { .absent }
    @available(
        *, unavailable, message: "not `keyPathForData`: an endpoint's key path is `var keyPath: String`, empty for the whole body"
    )
    public static func _keyPathNames(_: _KeyPathForDataName.Type) {}

    public var sampleData: _Absent { .absent }
    public var sampleResponse: _Absent { .absent }
    public var mockData: _Absent { .absent }
    @available(
        *, unavailable,
        message: "not `sampleData`, `sampleResponse`, `mockData`: answers without a network are `Fixture`s, outside the app"
    )
    public static func _sampleNames(_: _SampleDataName.Type, _: _SampleResponseName.Type, _: _MockDataName.Type) {}
}

extension EndpointSpellings
where
    _BaseUrlName == _Absent, _BaseURLStringName == _Absent, _BaseAddressName == _Absent, _SchemeName == _Absent,
    _HostName == _Absent
{
    public static func _addressNames(
        _: _BaseUrlName.Type, _: _BaseURLStringName.Type, _: _BaseAddressName.Type, _: _SchemeName.Type, _: _HostName.Type
    ) {}
}
extension EndpointSpellings
where _HttpMethodName == _Absent, _HTTPMethodName == _Absent, _RequestMethodName == _Absent, _MethodTypeName == _Absent {
    public static func _methodNames(
        _: _HttpMethodName.Type, _: _HTTPMethodName.Type, _: _RequestMethodName.Type, _: _MethodTypeName.Type
    ) {}
}
extension EndpointSpellings
where
    _HttpHeaderFieldsName == _Absent, _AllHTTPHeaderFieldsName == _Absent, _HttpHeadersName == _Absent,
    _HeaderFieldsName == _Absent, _HeaderParametersName == _Absent, _AdditionalHeadersName == _Absent,
    _CustomHeadersName == _Absent, _ExtraHeadersName == _Absent, _RequestHeadersName == _Absent,
    _SpecificHeaderTypesName == _Absent
{
    public static func _headerNames(
        _: _HttpHeaderFieldsName.Type, _: _AllHTTPHeaderFieldsName.Type, _: _HttpHeadersName.Type, _: _HeaderFieldsName.Type,
        _: _HeaderParametersName.Type, _: _AdditionalHeadersName.Type, _: _CustomHeadersName.Type, _: _ExtraHeadersName.Type,
        _: _RequestHeadersName.Type, _: _SpecificHeaderTypesName.Type
    ) {}
}
extension EndpointSpellings
where
    _TaskName == _Absent, _HttpBodyName == _Absent, _BodyDataName == _Absent, _BodyParametersName == _Absent,
    _BodyParamsName == _Absent, _QueryParametersName == _Absent, _QueryParamsName == _Absent, _QueryItemsName == _Absent,
    _UrlParametersName == _Absent, _UrlParamsName == _Absent, _UrlQueryItemsName == _Absent, _RequestBodyName == _Absent
{
    public static func _parameterNames(
        _: _TaskName.Type, _: _HttpBodyName.Type, _: _BodyDataName.Type, _: _BodyParametersName.Type, _: _BodyParamsName.Type,
        _: _QueryParametersName.Type, _: _QueryParamsName.Type, _: _QueryItemsName.Type, _: _UrlParametersName.Type,
        _: _UrlParamsName.Type, _: _UrlQueryItemsName.Type, _: _RequestBodyName.Type
    ) {}
}
extension EndpointSpellings
where
    _ParameterEncodingName == _Absent, _ParametersEncodingName == _Absent, _ParamsEncodingName == _Absent,
    _BodyEncodingName == _Absent, _RequestEncodingName == _Absent, _InputEncodingName == _Absent
{
    public static func _encodingNames(
        _: _ParameterEncodingName.Type, _: _ParametersEncodingName.Type, _: _ParamsEncodingName.Type, _: _BodyEncodingName.Type,
        _: _RequestEncodingName.Type, _: _InputEncodingName.Type
    ) {}
}
extension EndpointSpellings where _TimeoutIntervalName == _Absent, _RequestTimeoutName == _Absent {
    public static func _timingNames(_: _TimeoutIntervalName.Type, _: _RequestTimeoutName.Type) {}
}
extension EndpointSpellings where _CachePolicyName == _Absent {
    public static func _cacheNames(_: _CachePolicyName.Type) {}
}
extension EndpointSpellings
where _ValidationTypeName == _Absent, _ValidStatusCodesName == _Absent, _AcceptableStatusCodesName == _Absent {
    public static func _verificationNames(
        _: _ValidationTypeName.Type, _: _ValidStatusCodesName.Type, _: _AcceptableStatusCodesName.Type
    ) {}
}
extension EndpointSpellings where _AuthorizationTypeName == _Absent {
    public static func _authorizationNames(_: _AuthorizationTypeName.Type) {}
}
extension EndpointSpellings where _KeyPathForDataName == _Absent {
    public static func _keyPathNames(_: _KeyPathForDataName.Type) {}
}
extension EndpointSpellings where _SampleDataName == _Absent, _SampleResponseName == _Absent, _MockDataName == _Absent {
    public static func _sampleNames(_: _SampleDataName.Type, _: _SampleResponseName.Type, _: _MockDataName.Type) {}
}

// MARK: - Names of an endpoint's own values

// `let body: Checkout` beside `var params: Parameters? { Parameters(body) }` is right. Content in another library's type is not.
extension EndpointSpellings {
    public var parameters: _Absent { .absent }
    public static func _parameters(_: _Parameters.Type) {}
    public var body: _Absent { .absent }
    public static func _body(_: _Body.Type) {}
    public var query: _Absent { .absent }
    public static func _query(_: _Query.Type) {}
    public var header: _Absent { .absent }
    public static func _header(_: _Header.Type) {}
    public var timeout: _Absent { .absent }
    public static func _timeout(_: _Timeout.Type) {}
}

extension EndpointSpellings where _Parameters: _ForeignContent {
    @available(*, unavailable, message: "not `parameters`: an endpoint's parameters are `var params: Parameters?`")
    public static func _parameters(_: _Parameters.Type) {}
}
extension EndpointSpellings where _Parameters == any Encodable {
    @available(*, unavailable, message: "not `parameters`: an endpoint's parameters are `var params: Parameters?`")
    public static func _parameters(_: _Parameters.Type) {}
}
extension EndpointSpellings where _Parameters == (any Encodable)? {
    @available(*, unavailable, message: "not `parameters`: an endpoint's parameters are `var params: Parameters?`")
    public static func _parameters(_: _Parameters.Type) {}
}
extension EndpointSpellings where _Parameters == any Encodable & Sendable {
    @available(*, unavailable, message: "not `parameters`: an endpoint's parameters are `var params: Parameters?`")
    public static func _parameters(_: _Parameters.Type) {}
}
extension EndpointSpellings where _Parameters == (any Encodable & Sendable)? {
    @available(*, unavailable, message: "not `parameters`: an endpoint's parameters are `var params: Parameters?`")
    public static func _parameters(_: _Parameters.Type) {}
}

extension EndpointSpellings where _Body: _ForeignContent {
    @available(
        *, unavailable,
        message:
            "not `body`: an endpoint's parameters are `var params: Parameters?`, and `var encoding: InputEncoding` puts them into the body"
    )
    public static func _body(_: _Body.Type) {}
}
extension EndpointSpellings where _Body == any Encodable {
    @available(
        *, unavailable,
        message:
            "not `body`: an endpoint's parameters are `var params: Parameters?`, and `var encoding: InputEncoding` puts them into the body"
    )
    public static func _body(_: _Body.Type) {}
}
extension EndpointSpellings where _Body == (any Encodable)? {
    @available(
        *, unavailable,
        message:
            "not `body`: an endpoint's parameters are `var params: Parameters?`, and `var encoding: InputEncoding` puts them into the body"
    )
    public static func _body(_: _Body.Type) {}
}
extension EndpointSpellings where _Body == any Encodable & Sendable {
    @available(
        *, unavailable,
        message:
            "not `body`: an endpoint's parameters are `var params: Parameters?`, and `var encoding: InputEncoding` puts them into the body"
    )
    public static func _body(_: _Body.Type) {}
}
extension EndpointSpellings where _Body == (any Encodable & Sendable)? {
    @available(
        *, unavailable,
        message:
            "not `body`: an endpoint's parameters are `var params: Parameters?`, and `var encoding: InputEncoding` puts them into the body"
    )
    public static func _body(_: _Body.Type) {}
}

extension EndpointSpellings where _Query: _ForeignContent {
    @available(
        *, unavailable,
        message:
            "not `query`: an endpoint's parameters are `var params: Parameters?`, and `var encoding: InputEncoding` puts them into the query"
    )
    public static func _query(_: _Query.Type) {}
}
extension EndpointSpellings where _Query == any Encodable {
    @available(
        *, unavailable,
        message:
            "not `query`: an endpoint's parameters are `var params: Parameters?`, and `var encoding: InputEncoding` puts them into the query"
    )
    public static func _query(_: _Query.Type) {}
}
extension EndpointSpellings where _Query == (any Encodable)? {
    @available(
        *, unavailable,
        message:
            "not `query`: an endpoint's parameters are `var params: Parameters?`, and `var encoding: InputEncoding` puts them into the query"
    )
    public static func _query(_: _Query.Type) {}
}
extension EndpointSpellings where _Query == any Encodable & Sendable {
    @available(
        *, unavailable,
        message:
            "not `query`: an endpoint's parameters are `var params: Parameters?`, and `var encoding: InputEncoding` puts them into the query"
    )
    public static func _query(_: _Query.Type) {}
}
extension EndpointSpellings where _Query == (any Encodable & Sendable)? {
    @available(
        *, unavailable,
        message:
            "not `query`: an endpoint's parameters are `var params: Parameters?`, and `var encoding: InputEncoding` puts them into the query"
    )
    public static func _query(_: _Query.Type) {}
}

extension EndpointSpellings where _Header: _ForeignContent {
    @available(*, unavailable, message: "not `header`: an endpoint's headers are `var headers: Headers`")
    public static func _header(_: _Header.Type) {}
}

extension EndpointSpellings where _Timeout == Double {
    @available(
        *, unavailable, message: "not `timeout`: an endpoint's timeout is a `Timeout` in `var modifiers: [any RequestModifier]`"
    )
    public static func _timeout(_: _Timeout.Type) {}
}
extension EndpointSpellings where _Timeout == Double? {
    @available(
        *, unavailable, message: "not `timeout`: an endpoint's timeout is a `Timeout` in `var modifiers: [any RequestModifier]`"
    )
    public static func _timeout(_: _Timeout.Type) {}
}
extension EndpointSpellings where _Timeout == Int {
    @available(
        *, unavailable, message: "not `timeout`: an endpoint's timeout is a `Timeout` in `var modifiers: [any RequestModifier]`"
    )
    public static func _timeout(_: _Timeout.Type) {}
}
extension EndpointSpellings where _Timeout == Int? {
    @available(
        *, unavailable, message: "not `timeout`: an endpoint's timeout is a `Timeout` in `var modifiers: [any RequestModifier]`"
    )
    public static func _timeout(_: _Timeout.Type) {}
}
