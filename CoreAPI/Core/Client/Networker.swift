/// Who speaks for a channel: the base of a feature's interactors.
///
/// A channel declares one open class that conforms, and features inherit from it; ``ChannelNetworker`` is its base:
///
/// ```swift
/// open class DLNetworker<EndpointItem: Endpoint>: ChannelNetworker<EndpointItem> {
///     public init() { super.init(.dl) }
/// }
/// ```
public protocol Networker<EndpointType>: AnyObject {
    associatedtype EndpointType: Endpoint
    /// May be replaced, in a test for instance; `withChannel` of CoreAPITesting does it without touching the feature.
    var networkManager: NetworkManager<EndpointType> { get set }
}
