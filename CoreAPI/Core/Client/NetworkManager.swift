/// The door that features use: one line per call, for the endpoints of one feature, over one channel.
///
/// ```swift
/// let manager = NetworkManager<OrderEndpoint>(channel: .dl)
/// let page: OrderList = try await manager.request(endpoint: .list(page: 1))
/// ```
///
/// A manager is a ``Dispatcher`` too, and so sends any endpoint: a typed one, a one-off
/// `request(.get("orders/\(segment: id)"), as: Order.self)`.
///
/// Sendable; may be called from any actor. Nothing runs on the caller's actor but the completion.
public struct NetworkManager<EndpointItem: Endpoint>: Sendable {
    package let dispatcher: any Dispatcher
    public let callbackQueue: CallbackQueue
    private var attached: [[any RequestModifier]] = []

    /// Speaks through a channel, or through what a test put in its place; see `withChannel` in CoreAPITesting.
    public init(channel: Channel) {
        self.init(dispatcher: CommonDispatcher(channel: channel))
    }

    /// Speaks through a dispatcher of the team's own.
    ///
    /// - Parameters:
    ///   - dispatcher: runs the calls.
    ///   - callbackQueue: where completions run that belong to no actor; `nil` for the dispatcher's.
    public init(dispatcher: any Dispatcher, callbackQueue: CallbackQueue? = nil) {
        self.dispatcher = dispatcher
        self.callbackQueue = callbackQueue ?? dispatcher.callbackQueue
    }

    /// The channel that calls go through; `nil` with a dispatcher of the team's own.
    public var channel: Channel? { (dispatcher as? CommonDispatcher)?.channel }

    /// This manager for calls with further modifiers, nearer than the endpoint's own and than those attached before: a timeout, a
    /// header, a fixture's scenario.
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
