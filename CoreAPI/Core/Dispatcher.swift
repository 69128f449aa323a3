/// Runs calls. The kit has one, ``CommonDispatcher``; a team may write its own, or wrap this one, and give it to a
/// ``NetworkManager``.
///
/// Called once per call, from any actor, concurrently. It does not throw: a failure is part of the response.
public protocol Dispatcher: Sendable {
    func response<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>
    ) async -> Response<Value>
}

/// The dispatcher that runs the kit's pipeline over a channel. It holds nothing that changes; what it shares with a plain copy are the
/// channel's connections and credentials. ``isolatedCopy(transport:)`` shares nothing.
public struct CommonDispatcher: Dispatcher {
    private let pipeline: Pipeline

    public init(channel: Channel) {
        pipeline = Pipeline(channel: channel)
    }

    /// Makes a channel on the spot, for a team that has an environment and a few hooks.
    ///
    /// - Parameters:
    ///   - environment: where to speak to, and on what terms; gives the channel its name.
    ///   - resultHandler: told of every outcome before the caller.
    ///   - errorFilter: finds and translates errors.
    ///   - interceptor: adapts and retries.
    ///   - transport: owns the connections; `nil` for one of this dispatcher's own.
    public init(
        environment: Environment, resultHandler: ResultHandler = .none, errorFilter: ErrorFilter = .none,
        interceptor: (any RequestInterceptor)? = nil, transport: (any Transport)? = nil
    ) {
        var channel = Channel(name: environment.name, environment: environment, transport: transport)
        channel.resultHandler = resultHandler
        channel.errorFilter = errorFilter
        channel.interceptors = interceptor.map { [$0] } ?? []
        self.init(channel: channel)
    }

    /// A dispatcher over the same channel that shares nothing that changes: connections, credentials and the environment, which stays
    /// where the switch, if there is one, stands now.
    ///
    /// - Parameter transport: `nil` for a ``CurlTransport`` of the copy's own.
    public func isolatedCopy(transport: (any Transport)? = nil) -> CommonDispatcher {
        CommonDispatcher(channel: channel.isolated(transport: transport ?? CurlTransport(limits: channel.limits)))
    }

    /// The channel that calls go through.
    public var channel: Channel { pipeline.channel }

    public func response<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>
    ) async -> Response<Value> {
        await pipeline.response(.endpoint(endpoint, as: decoding))
    }
}
