// A feature names methods and statuses, `.get` and `.notFound`, without a second import. Addresses, coders, certificates and the
// like are the kit's own types, in separate modules.
@_exported public import CoreAPICoding
@_exported public import CoreAPICookies
@_exported public import CoreAPIHTTP
@_exported public import CoreAPIRedaction
@_exported public import CoreAPITrust
@_exported public import HTTPTypes

/// A request method, by the name in other libraries.
public typealias HTTPMethod = HTTPRequest.Method

/// The closure that receives a call's result, on the main actor.
///
/// ```swift
/// func orders(completion: @escaping Completion<[Order]>) {
///     networkManager.request(endpoint: .orders, type: [Order].self, completion: completion)
/// }
/// ```
public typealias Completion<Value> = @MainActor @Sendable (Result<Value, APIClientError>) -> Void
