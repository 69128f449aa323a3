/// Who speaks for a channel: the base of a feature's interactors.
///
/// A channel declares one open class that conforms, and features inherit from it:
///
/// ```swift
/// open class DLNetworker<EndpointItem: Endpoint>: Networker {
///     public var networkManager: NetworkManager<EndpointItem>
///     public init() { networkManager = NetworkManager(channel: .dl) }
/// }
/// ```
public protocol Networker<EndpointType>: AnyObject {
    associatedtype EndpointType: Endpoint
    /// May be replaced, in a test for instance; `withChannel` of CoreAPITesting does it without touching the feature.
    var networkManager: NetworkManager<EndpointType> { get set }
}
