/// An endpoint that knows the type of its response, so that a call need not name it.
///
/// Typed endpoints are such endpoints. A feature's own type becomes one by its `Output`:
///
/// ```swift
/// struct OrderByID: AnsweredEndpoint {
///     typealias Output = Order
///     let id: String
///     var path: String { "orders/\(segment: id)" }
///     var method: HTTPRequest.Method { .get }
/// }
///
/// let order = try await networkManager.request(OrderByID(id: "7"))
/// ```
public protocol AnsweredEndpoint<Output>: Endpoint {
    /// The type of the response's value.
    associatedtype Output: Sendable

    /// How the response becomes the output. Default ``ResponseDecoding/decodable(_:)``, or ``ResponseDecoding/nothing`` for
    /// `Void`.
    var decoding: ResponseDecoding<Output> { get }
}

extension AnsweredEndpoint where Output: Decodable {
    public var decoding: ResponseDecoding<Output> { .decodable() }
}

extension AnsweredEndpoint where Output == Void {
    /// ``ResponseDecoding/nothing``: the response's body is not read.
    public var decoding: ResponseDecoding<Output> { .nothing }
}
