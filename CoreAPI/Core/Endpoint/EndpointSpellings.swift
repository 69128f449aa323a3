public import Foundation
public import HTTPTypes

// An endpoint that is ported from another library keeps that library's spellings: `headers: [String: String]`, `parameters`, `baseUrl`. The
// kit gives every requirement a default, so the compiler would take the default and ignore the member. The requirements below notice such
// a member. Each one has a type of its own, which Swift infers from the member. A type that the kit does not read selects an unavailable
// witness, and the compiler prints its message. Nothing of this runs.

/// Names and types that other libraries use and that ``Endpoint`` does not read. The compiler refuses an endpoint that has one and names
/// the right spelling.
@_documentation(visibility: internal)
public protocol EndpointSpellings {
    associatedtype _BaseURL
    associatedtype _Headers
    associatedtype _Params
    associatedtype _URL
    associatedtype _Encoding
    associatedtype _Modifiers
    associatedtype _KeyPath
    associatedtype _BaseUrl
    associatedtype _Parameters
    associatedtype _QueryParameters
    associatedtype _BodyParameters
    associatedtype _QueryItems
    associatedtype _Body
    associatedtype _Header
    associatedtype _HTTPHeaderFields
    associatedtype _HTTPHeaders
    associatedtype _HTTPMethod
    associatedtype _SampleData
    associatedtype _ParameterEncoding
    associatedtype _TimeoutInterval
    associatedtype _CachePolicy

    // Right names, which may have a wrong type.
    var baseURL: _BaseURL { get }
    var headers: _Headers { get }
    var params: _Params { get }
    var url: _URL { get }
    var encoding: _Encoding { get }
    var modifiers: _Modifiers { get }
    var keyPath: _KeyPath { get }

    // Names of other libraries.
    var baseUrl: _BaseUrl { get }
    var parameters: _Parameters { get }
    var queryParameters: _QueryParameters { get }
    var bodyParameters: _BodyParameters { get }
    var queryItems: _QueryItems { get }
    var body: _Body { get }
    var header: _Header { get }
    var httpHeaderFields: _HTTPHeaderFields { get }
    var httpHeaders: _HTTPHeaders { get }
    var httpMethod: _HTTPMethod { get }
    var sampleData: _SampleData { get }
    var parameterEncoding: _ParameterEncoding { get }
    var timeoutInterval: _TimeoutInterval { get }
    var cachePolicy: _CachePolicy { get }

    static func _baseURL(_: _BaseURL.Type)
    static func _headers(_: _Headers.Type)
    static func _params(_: _Params.Type)
    static func _url(_: _URL.Type)
    static func _encoding(_: _Encoding.Type)
    static func _modifiers(_: _Modifiers.Type)
    static func _keyPath(_: _KeyPath.Type)
    static func _baseUrl(_: _BaseUrl.Type)
    static func _parameters(_: _Parameters.Type)
    static func _queryParameters(_: _QueryParameters.Type)
    static func _bodyParameters(_: _BodyParameters.Type)
    static func _queryItems(_: _QueryItems.Type)
    static func _body(_: _Body.Type)
    static func _header(_: _Header.Type)
    static func _httpHeaderFields(_: _HTTPHeaderFields.Type)
    static func _httpHeaders(_: _HTTPHeaders.Type)
    static func _httpMethod(_: _HTTPMethod.Type)
    static func _sampleData(_: _SampleData.Type)
    static func _parameterEncoding(_: _ParameterEncoding.Type)
    static func _timeoutInterval(_: _TimeoutInterval.Type)
    static func _cachePolicy(_: _CachePolicy.Type)
}

/// What an endpoint has under a name of another library: nothing.
@_documentation(visibility: internal)
public enum _Absent: Sendable { case absent }

/// A type in which other libraries give parameters or headers, optional or not.
@_documentation(visibility: internal)
public protocol _NamesAndValues {}
extension Dictionary: _NamesAndValues {}
extension Parameters: _NamesAndValues {}
extension Headers: _NamesAndValues {}
extension HTTPFields: _NamesAndValues {}
extension Array: _NamesAndValues where Element == URLQueryItem {}
extension Optional: _NamesAndValues where Wrapped: _NamesAndValues {}

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
extension EndpointSpellings where _Headers == Headers { public static func _headers(_: _Headers.Type) {} }
extension EndpointSpellings where _Params == Parameters? { public static func _params(_: _Params.Type) {} }
extension EndpointSpellings where _URL == String { public static func _url(_: _URL.Type) {} }
extension EndpointSpellings where _Encoding == InputEncoding { public static func _encoding(_: _Encoding.Type) {} }
extension EndpointSpellings where _Modifiers == [any RequestModifier] { public static func _modifiers(_: _Modifiers.Type) {} }
extension EndpointSpellings where _KeyPath == String { public static func _keyPath(_: _KeyPath.Type) {} }

// MARK: - Names of other libraries

extension EndpointSpellings {
    public var baseUrl: _Absent { .absent }
    public var parameters: _Absent { .absent }
    public var queryParameters: _Absent { .absent }
    public var bodyParameters: _Absent { .absent }
    public var queryItems: _Absent { .absent }
    public var body: _Absent { .absent }
    public var header: _Absent { .absent }
    public var httpHeaderFields: _Absent { .absent }
    public var httpHeaders: _Absent { .absent }
    public var httpMethod: _Absent { .absent }
    public var sampleData: _Absent { .absent }
    public var parameterEncoding: _Absent { .absent }
    public var timeoutInterval: _Absent { .absent }
    public var cachePolicy: _Absent { .absent }

    // Whatever the type: an endpoint has no other use for these names.
    @available(*, unavailable, message: "not `baseUrl`: an endpoint's base URL is `var baseURL: String`")
    public static func _baseUrl(_: _BaseUrl.Type) {}
    @available(*, unavailable, message: "not `httpHeaderFields`: an endpoint's headers are `var headers: Headers`")
    public static func _httpHeaderFields(_: _HTTPHeaderFields.Type) {}
    @available(*, unavailable, message: "not `httpHeaders`: an endpoint's headers are `var headers: Headers`")
    public static func _httpHeaders(_: _HTTPHeaders.Type) {}
    @available(*, unavailable, message: "not `httpMethod`: an endpoint's method is `var method: HTTPMethod`")
    public static func _httpMethod(_: _HTTPMethod.Type) {}
    @available(*, unavailable, message: "not `sampleData`: answers without a network are `Fixture`s, outside the app")
    public static func _sampleData(_: _SampleData.Type) {}
    @available(*, unavailable, message: "not `parameterEncoding`: an endpoint's encoding is `var encoding: InputEncoding`")
    public static func _parameterEncoding(_: _ParameterEncoding.Type) {}
    @available(
        *, unavailable,
        message: "not `timeoutInterval`: an endpoint's timeout is a `Timeout` in `var modifiers: [any RequestModifier]`"
    )
    public static func _timeoutInterval(_: _TimeoutInterval.Type) {}
    @available(
        *, unavailable, message: "not `cachePolicy`: an endpoint's is a `CachePolicy` in `var modifiers: [any RequestModifier]`"
    )
    public static func _cachePolicy(_: _CachePolicy.Type) {}

    // An endpoint may keep a value of its own under these names. Only names and values are refused, below.
    public static func _parameters(_: _Parameters.Type) {}
    public static func _queryParameters(_: _QueryParameters.Type) {}
    public static func _bodyParameters(_: _BodyParameters.Type) {}
    public static func _queryItems(_: _QueryItems.Type) {}
    public static func _body(_: _Body.Type) {}
    public static func _header(_: _Header.Type) {}
}

extension EndpointSpellings where _BaseUrl == _Absent { public static func _baseUrl(_: _BaseUrl.Type) {} }
extension EndpointSpellings where _HTTPHeaderFields == _Absent {
    public static func _httpHeaderFields(_: _HTTPHeaderFields.Type) {}
}
extension EndpointSpellings where _HTTPHeaders == _Absent { public static func _httpHeaders(_: _HTTPHeaders.Type) {} }
extension EndpointSpellings where _HTTPMethod == _Absent { public static func _httpMethod(_: _HTTPMethod.Type) {} }
extension EndpointSpellings where _SampleData == _Absent { public static func _sampleData(_: _SampleData.Type) {} }
extension EndpointSpellings where _ParameterEncoding == _Absent {
    public static func _parameterEncoding(_: _ParameterEncoding.Type) {}
}
extension EndpointSpellings where _TimeoutInterval == _Absent { public static func _timeoutInterval(_: _TimeoutInterval.Type) {} }
extension EndpointSpellings where _CachePolicy == _Absent { public static func _cachePolicy(_: _CachePolicy.Type) {} }

extension EndpointSpellings where _Parameters: _NamesAndValues {
    @available(*, unavailable, message: "not `parameters`: an endpoint's parameters are `var params: Parameters?`")
    public static func _parameters(_: _Parameters.Type) {}
}
extension EndpointSpellings where _QueryParameters: _NamesAndValues {
    @available(
        *, unavailable,
        message:
            "not `queryParameters`: an endpoint's parameters are `var params: Parameters?`, `encoding` puts them into the query"
    )
    public static func _queryParameters(_: _QueryParameters.Type) {}
}
extension EndpointSpellings where _BodyParameters: _NamesAndValues {
    @available(
        *, unavailable,
        message:
            "not `bodyParameters`: an endpoint's parameters are `var params: Parameters?`, `encoding` puts them into the body"
    )
    public static func _bodyParameters(_: _BodyParameters.Type) {}
}
extension EndpointSpellings where _QueryItems: _NamesAndValues {
    @available(
        *, unavailable,
        message: "not `queryItems`: an endpoint's parameters are `var params: Parameters?`, or `QueryItem`s in `modifiers`"
    )
    public static func _queryItems(_: _QueryItems.Type) {}
}
extension EndpointSpellings where _Body: _NamesAndValues {
    @available(
        *, unavailable,
        message: "not `body`: an endpoint's parameters are `var params: Parameters?`, `encoding` puts them into the body"
    )
    public static func _body(_: _Body.Type) {}
}
extension EndpointSpellings where _Header: _NamesAndValues {
    @available(*, unavailable, message: "not `header`: an endpoint's headers are `var headers: Headers`")
    public static func _header(_: _Header.Type) {}
}
