internal import CoreAPICoding
public import Foundation
public import HTTPTypes

// Every requirement of an endpoint has a default. A member of the right name and a wrong type would not be read, and so would a
// member of another library's name. These requirements detect the commonest ones: Swift infers an associated type from the member,
// and a wrong type selects an unavailable witness, whose message the compiler prints. None of this runs. Each associated type costs
// the compilation of every endpoint; the names that are not here are in the table of `networker port`.

/// Names and types of members that ``Endpoint`` does not read. The compiler refuses them and names the right spelling.
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

    // The commonest names of other libraries. An endpoint may have `parameters` of its own type.
    associatedtype _BaseUrl
    var baseUrl: _BaseUrl { get }
    static func _baseUrl(_: _BaseUrl.Type)
    associatedtype _Task
    var task: _Task { get }
    static func _task(_: _Task.Type)
    associatedtype _QueryItems
    var queryItems: _QueryItems { get }
    static func _queryItems(_: _QueryItems.Type)
    associatedtype _Parameters
    var parameters: _Parameters { get }
    static func _parameters(_: _Parameters.Type)
}

/// The type of a member that is not there.
@_documentation(visibility: internal)
public enum _Absent: Sendable { case absent }

/// A type that other libraries use for parameters, optional or not.
@_documentation(visibility: internal)
public protocol _ForeignParameters {}
extension Dictionary: _ForeignParameters {}
extension Data: _ForeignParameters {}
extension Array: _ForeignParameters where Element == URLQueryItem {}
extension Parameters: _ForeignParameters {}
extension Optional: _ForeignParameters where Wrapped: _ForeignParameters {}

extension EndpointSpellings {
    public var baseUrl: _Absent { .absent }
    public var task: _Absent { .absent }
    public var queryItems: _Absent { .absent }
    public var parameters: _Absent { .absent }

    public static func _parameters(_: _Parameters.Type) {}

    @available(*, unavailable, message: "an endpoint's base URL is text: `var baseURL: String`, empty for the channel's")
    public static func _baseURL(_: _BaseURL.Type) {}
    @available(*, unavailable, message: "an endpoint's headers are `var headers: Headers`; `Headers(dictionary)` makes them")
    public static func _headers(_: _Headers.Type) {}
    @available(*, unavailable, message: "an endpoint's parameters are `var params: Parameters?`; `Parameters(value)` makes them")
    public static func _params(_: _Params.Type) {}
    @available(*, unavailable, message: "an endpoint's whole address is text: `var url: String`")
    public static func _url(_: _URL.Type) {}
    @available(*, unavailable, message: "an endpoint's encoding is `var encoding: InputEncoding`, such as `.json`")
    public static func _encoding(_: _Encoding.Type) {}
    @available(*, unavailable, message: "an endpoint's modifiers are `var modifiers: [any RequestModifier]`")
    public static func _modifiers(_: _Modifiers.Type) {}
    @available(*, unavailable, message: "an endpoint's key path is text: `var keyPath: String`, empty for the whole body")
    public static func _keyPath(_: _KeyPath.Type) {}
    @available(*, unavailable, message: "not `baseUrl`: an endpoint's base URL is `var baseURL: String`")
    public static func _baseUrl(_: _BaseUrl.Type) {}
    @available(*, unavailable, message: "not `task`: an endpoint has `var params: Parameters?` and `var encoding: InputEncoding`")
    public static func _task(_: _Task.Type) {}
    @available(*, unavailable, message: "not `queryItems`: an endpoint's parameters are `var params: Parameters?`")
    public static func _queryItems(_: _QueryItems.Type) {}
}

extension EndpointSpellings where _BaseURL == String { public static func _baseURL(_: _BaseURL.Type) {} }
extension EndpointSpellings where _Headers == Headers { public static func _headers(_: _Headers.Type) {} }
extension EndpointSpellings where _Params == Parameters? { public static func _params(_: _Params.Type) {} }
extension EndpointSpellings where _URL == String { public static func _url(_: _URL.Type) {} }
extension EndpointSpellings where _Encoding == InputEncoding { public static func _encoding(_: _Encoding.Type) {} }
extension EndpointSpellings where _Modifiers == [any RequestModifier] { public static func _modifiers(_: _Modifiers.Type) {} }
extension EndpointSpellings where _KeyPath == String { public static func _keyPath(_: _KeyPath.Type) {} }
extension EndpointSpellings where _BaseUrl == _Absent { public static func _baseUrl(_: _BaseUrl.Type) {} }
extension EndpointSpellings where _Task == _Absent { public static func _task(_: _Task.Type) {} }
extension EndpointSpellings where _QueryItems == _Absent { public static func _queryItems(_: _QueryItems.Type) {} }
extension EndpointSpellings where _Parameters: _ForeignParameters {
    @available(*, unavailable, message: "not `parameters`: an endpoint's parameters are `var params: Parameters?`")
    public static func _parameters(_: _Parameters.Type) {}
}
