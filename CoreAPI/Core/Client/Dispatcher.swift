/// Runs calls. The kit has one, ``CommonDispatcher``; a team may write its own, or wrap this one, and give it to a
/// ``NetworkManager``.
///
/// Called once per call, off every actor, so that nothing is decoded on the main thread; concurrently. It does not throw: a
/// failure is part of the response. Attempts made by hand, ``Response/retry(max:delay:)``, belong to the call that made the
/// response and do not come by here again.
public protocol Dispatcher: Sendable {
    @concurrent
    func response<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>
    ) async -> Response<Value>

    /// Where completions run that belong to no actor. Default the main queue.
    var callbackQueue: CallbackQueue { get }
}

extension Dispatcher {
    public var callbackQueue: CallbackQueue { .main }
}

/// The dispatcher that runs the kit's pipeline over a channel. It holds nothing that changes; what it shares with a plain copy
/// are the channel's connections and credentials. ``isolatedCopy(transport:)`` shares nothing.
public struct CommonDispatcher: Dispatcher {
    private let prepared: PreparedChannel

    /// Speaks through a channel, or through what a test put in its place; see `withChannel` in CoreAPITesting.
    public init(channel: Channel) {
        self.init(resolved: ChannelOverride.resolve(channel))
    }

    private init(resolved channel: Channel) {
        prepared = PreparedChannel(channel)
    }

    /// Over a channel that its caller made, and whose name means nothing to a test. A transport that was given stays.
    package init(onTheSpot channel: Channel, isTransportGiven: Bool) {
        self.init(resolved: isTransportGiven ? ChannelOverride.resolve(channel) : ChannelOverride.resolve(anonymous: channel))
    }

    /// A dispatcher over the same channel that shares nothing of the kit's that changes: no connection, no credential, no cookie,
    /// and no switch of the environment, which stays where it is now. Interceptors are copied by
    /// ``RequestInterceptor/isolatedCopy()``; what other hooks of a team's own keep is theirs.
    ///
    /// - Parameter transport: answers in the place of everything, fixtures of the environment included; `nil` for the channel's
    ///   own, with connections of the copy's (``Transport/isolatedCopy()``): a stub stays a stub.
    public func isolatedCopy(transport: (any Transport)? = nil) -> CommonDispatcher {
        CommonDispatcher(resolved: channel.isolated(transport: transport))
    }

    /// The channel that calls go through.
    public var channel: Channel { prepared.channel }

    public var callbackQueue: CallbackQueue { channel.callbackQueue }

    @concurrent
    public func response<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>
    ) async -> Response<Value> {
        Response(delivering: await Pipeline().run(Call(prepared.current, endpoint, decoding)))
    }
}

extension Response {
    /// A call as the pipeline delivers it.
    init(delivering reply: Reply) {
        let result: Result<Value, APIClientError>
        switch (reply.failure, reply.reading) {
        case (let failure?, _): result = .failure(failure)
        case (nil, .value(let value as Value)), (nil, .resolved(let value as Value, _)): result = .success(value)
        // Only a middleware can have put another call's reply here.
        default:
            let mismatch = ResolutionMismatch(expected: "\(Value.self)", found: "the reply of another call")
            result = .failure(.unknown(mismatch, ErrorContext(reply)))
        }
        self.init(reply, result, isDelivered: true)
    }
}
