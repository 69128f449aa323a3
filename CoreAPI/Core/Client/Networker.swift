/// Sends a feature's requests through its channel: the base of interactors. A channel declares one open class that conforms, and
/// features inherit from it; ``ChannelNetworker`` is its base.
public protocol Networker<EndpointType>: AnyObject {
    /// The requests of the feature.
    associatedtype EndpointType: Endpoint
    /// May be replaced, for example in a test; `withChannel` of CoreAPITesting does so without touching the feature.
    var networkManager: NetworkManager<EndpointType> { get set }
}

extension Networker {
    /// Sends a request of the feature and passes its result to the interactor. The call does not keep the interactor alive. The
    /// handle, with which the call is cancelled, need not be kept.
    ///
    /// ```swift
    /// request(.orderDetail(id: id)) { $0.output?.handleOrderDetailResponse($1) }
    /// ```
    ///
    /// - Parameter completion: called once, on the main actor, with the interactor and the result; not called if the interactor
    ///   is gone.
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
    public init(_ channel: Channel) {
        networkManager = NetworkManager(channel: channel)
    }
}
