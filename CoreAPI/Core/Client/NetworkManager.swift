/// Sends the requests of one feature's endpoints over one channel, one line per call.
///
/// ```swift
/// let manager = NetworkManager<OrderEndpoint>(channel: .dl)
/// let page: OrderList = try await manager.request(endpoint: .list(page: 1))
/// ```
///
/// A manager is a ``Dispatcher`` too. So it sends any endpoint: a typed one, or a one-off `request(.get("orders/\(segment: id)"),
/// as: Order.self)`.
///
/// Sendable; may be called from any actor. Only the completion runs on the caller's actor.
public struct NetworkManager<EndpointItem: Endpoint>: Sendable {
    package let dispatcher: any Dispatcher
    public let callbackQueue: CallbackQueue
    private var attached: [[any RequestModifier]] = []

    /// Uses a channel, or a test's replacement of it; see `withChannel` in CoreAPITesting.
    public init(channel: Channel) {
        self.init(dispatcher: CommonDispatcher(channel: channel))
    }

    /// Uses a custom dispatcher.
    ///
    /// - Parameters:
    ///   - dispatcher: runs the calls.
    ///   - callbackQueue: where completions run that belong to no actor; `nil` for the dispatcher's.
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

    /// An endpoint as the dispatcher gets it.
    package func attached(_ endpoint: any Endpoint) -> any Endpoint {
        attached.reduce(endpoint) { $0.attaching($1) }
    }
}
