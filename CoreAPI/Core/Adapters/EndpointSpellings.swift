public import CoreAPICoding
public import Foundation

// Every requirement of an endpoint has a default. So the kit would not read a member of the right name and a wrong type, nor one
// with another library's name. These detect the commonest ones: Swift infers an associated type from the member, and a wrong one
// selects an unavailable witness, whose message the compiler prints. Each costs compile time; `networker port` has more.

/// Names and types of members that ``Endpoint`` does not read. The compiler rejects them and names the right spelling.
@_documentation(visibility: internal)
public protocol EndpointSpellings {
    // Right names, possibly with a wrong type.
    associatedtype _BaseURL
    var baseURL: _BaseURL { get }
    associatedtype _Headers
    var headers: _Headers { get }
    associatedtype _Params
    var params: _Params { get }
    associatedtype _URL
    var url: _URL { get }
    associatedtype _Encoding
    var encoding: _Encoding { get }
    associatedtype _Modifiers
    var modifiers: _Modifiers { get }
    associatedtype _KeyPath
    var keyPath: _KeyPath { get }

    // The commonest names of other libraries. An endpoint may have `parameters` of its own type.
    associatedtype _BaseUrl
    var baseUrl: _BaseUrl { get }
    associatedtype _Task
    var task: _Task { get }
    associatedtype _QueryItems
    var queryItems: _QueryItems { get }
    associatedtype _Parameters
    var parameters: _Parameters { get }

    typealias _Members = (_BaseURL, _Headers, _Params, _URL, _Encoding, _Modifiers, _KeyPath, _BaseUrl, _Task, _QueryItems)
    static func _check(_: _Members.Type)
    static func _check(_: _Parameters.Type)
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
    public static func _check(_: _Parameters.Type) {}

    @available(
        *, unavailable,
        message:
            "an endpoint's members have these types: `var baseURL: String`, `var headers: Headers`, `var params: Parameters?`, `var url: String`, `var encoding: InputEncoding`, `var modifiers: [any RequestModifier]`, `var keyPath: String`; it has no `baseUrl`, `task`, `queryItems`"
    )
    public static func _check(_: _Members.Type) {}
}

extension EndpointSpellings
where
    _Members == (
        String, Headers, Parameters?, String, InputEncoding, [any RequestModifier], String, _Absent, _Absent, _Absent
    )
{
    public static func _check(_: _Members.Type) {}
}
extension EndpointSpellings where _Parameters: _ForeignParameters {
    @available(*, unavailable, message: "not `parameters`: an endpoint's parameters are `var params: Parameters?`")
    public static func _check(_: _Parameters.Type) {}
}
