public import HTTPTypes

/// Sends the requests of one feature's endpoints over one channel, one line per call.
///
/// ```swift
/// let manager = NetworkManager<OrderEndpoint>(channel: .dl)
/// let page: OrderList = try await manager.request(endpoint: .list(page: 1))
/// ```
///
/// A manager is a ``Dispatcher`` too. So it sends any endpoint: a typed one, or a one-off `request(.get("orders/\(segment: id)"),
/// as: Order.self)`. `request(endpoint:)` and `response(for:as:)` take the feature's endpoints by leading dot. Elsewhere name
/// their type, which is `EndpointType` in an interactor: `manager.events(OrderEndpoint.updates)`.
///
/// Sendable; may be called from any actor. Only the completion runs on the caller's actor.
public struct NetworkManager<EndpointItem: Endpoint>: Sendable {
    package let dispatcher: any Dispatcher
    public let callbackQueue: CallbackQueue
    private var attached: [[any RequestModifier]] = []

    /// Uses a channel, or a test's replacement of it; see `withChannel` in CoreAPITesting.
    public init(channel: Channel) { self.init(dispatcher: CommonDispatcher(channel: channel)) }

    /// Uses a custom dispatcher. Completions that belong to no actor run on `callbackQueue`; `nil` for the dispatcher's.
    public init(dispatcher: any Dispatcher, callbackQueue: CallbackQueue? = nil) {
        self.dispatcher = dispatcher
        self.callbackQueue = callbackQueue ?? dispatcher.callbackQueue
    }

    /// The channel of its calls; `nil` with a custom dispatcher.
    public var channel: Channel? { (dispatcher as? CommonDispatcher)?.channel }

    /// This manager with further modifiers for its calls: a timeout, a header, a fixture's scenario. They are nearer than the
    /// endpoint's own and than those attached before.
    public func attaching(_ modifiers: any RequestModifier...) -> NetworkManager {
        var copy = self
        copy.attached.append(modifiers)
        return copy
    }

    package func attached(_ endpoint: any Endpoint) -> any Endpoint { attached.reduce(endpoint) { $0.attaching($1) } }
}

extension NetworkManager: Dispatcher {
    @concurrent
    public func response<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>
    ) async -> Response<Value> { await dispatcher.response(for: attached(endpoint), as: decoding) }

    /// Sends a request and decodes its response into `type`, which may be inferred. Throws ``APIClientError``, by the stage that
    /// failed.
    public func request<Value: Decodable & Sendable>(
        endpoint: EndpointItem, type: Value.Type = Value.self
    ) async throws(APIClientError) -> Value { try await response(for: endpoint, as: .decodable(type)).value }

    /// Sends a request and returns the value that `decoding` makes of its response.
    public func request<Value: Sendable>(
        endpoint: EndpointItem, as decoding: ResponseDecoding<Value>
    ) async throws(APIClientError) -> Value { try await response(for: endpoint, as: decoding).value }

    /// Sends a request and returns the endpoint's own output, by default `Void`.
    public func request(endpoint: EndpointItem) async throws(APIClientError) -> EndpointItem.Output {
        try await request(endpoint)
    }

    /// Sends a request and calls back exactly once, after a cancellation too. A completion written on an actor, such as the main
    /// one, runs there; any other on the ``Channel/callbackQueue``, the main queue by default. The handle need not be kept.
    ///
    /// ```swift
    /// networkManager.request(endpoint: .orderList(page: page), type: DLOrderListResponse.self) { [weak self] result in
    ///     self?.output?.handleOrderListResponse(result)
    /// }
    /// ```
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        endpoint: EndpointItem, type: Value.Type,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<Value, APIClientError>) -> Void
    ) -> Cancellable { start(endpoint, .decodable(type)) { await completion($0.result) } }

    /// As ``request(endpoint:type:completion:)``, with the endpoint's own output, by default `Void`.
    @discardableResult
    public func request(
        endpoint: EndpointItem,
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<EndpointItem.Output, APIClientError>) -> Void
    ) -> Cancellable { start(endpoint, endpoint.decoding) { await completion($0.result) } }

    /// Sends a request and returns the whole response: head, body, metrics, attempts and result. A failure keeps everything.
    public func response<Value: Decodable & Sendable>(
        for endpoint: EndpointItem, as type: Value.Type = Value.self
    ) async -> Response<Value> { await response(for: endpoint, as: .decodable(type)) }
}

/// For a feature whose endpoints are all typed: `NetworkManager<Never>`, `DLNetworker<Never>`.
extension Never: Endpoint {
    public var path: String { switch self {} }
    public var method: HTTPRequest.Method { switch self {} }
}

/// Sends a feature's requests through its channel: the base of interactors. A channel declares one open class that conforms, and
/// features inherit from it; ``ChannelNetworker`` is its base.
public protocol Networker<EndpointType>: AnyObject {
    /// The requests of the feature.
    associatedtype EndpointType: Endpoint
    /// May be replaced, for example in a test; `withChannel` of CoreAPITesting does so without touching the feature.
    var networkManager: NetworkManager<EndpointType> { get set }
}

extension Networker {
    /// Sends a request of the feature and passes its result to the interactor, once, on the main actor. The call does not retain
    /// the interactor, and passes nothing after its release. The handle, which cancels the call, need not be kept.
    ///
    /// ```swift
    /// request(.orderDetail(id: id)) { $0.output?.handleOrderDetailResponse($1) }
    /// ```
    @MainActor
    @discardableResult
    public func request<Value: Decodable & Sendable>(
        _ endpoint: EndpointType, completion: @escaping @MainActor (Self, Result<Value, APIClientError>) -> Void
    ) -> Cancellable {
        networkManager.request(endpoint: endpoint, type: Value.self) { [weak self] result in
            if let self { completion(self, result) }
        }
    }
}

/// The base class of a channel's networker, which then is one line:
///
/// ```swift
/// open class DLNetworker<EndpointItem: Endpoint>: ChannelNetworker<EndpointItem> { public init() { super.init(.dl) } }
/// ```
///
/// Not Sendable: an interactor belongs to the actor that made it. Calls from there do not block it.
open class ChannelNetworker<EndpointItem: Endpoint>: Networker {
    public var networkManager: NetworkManager<EndpointItem>

    /// Makes the manager of the calls of a channel, unless a test replaces it.
    public init(_ channel: Channel) { networkManager = NetworkManager(channel: channel) }
}
