/// Runs calls. The kit has one, ``CommonDispatcher``. A team may write its own, or wrap this one, and pass it to a
/// ``NetworkManager``.
///
/// Called once per call, concurrently, and off every actor, so that no decoding runs on the main thread. It does not throw: a
/// failure is part of the response. Attempts made by hand, ``Response/retry(max:delay:)``, belong to the call that made the
/// response and do not pass through here again.
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

/// The dispatcher that runs the kit's pipeline over a channel. It is immutable. A plain copy shares the channel's connections and
/// credentials; ``isolatedCopy(transport:)`` shares nothing.
public struct CommonDispatcher: Dispatcher {
    private let prepared: PreparedChannel

    /// Uses a channel, or a test's replacement of it; see `withChannel` in CoreAPITesting.
    public init(channel: Channel) {
        self.init(resolved: ChannelOverride.resolve(channel))
    }

    private init(resolved channel: Channel) {
        prepared = PreparedChannel(channel)
    }

    /// Uses a channel that its caller made, and whose name means nothing to a test. A given transport stays.
    package init(onTheSpot channel: Channel, isTransportGiven: Bool) {
        self.init(resolved: isTransportGiven ? ChannelOverride.resolve(channel) : ChannelOverride.resolve(anonymous: channel))
    }

    /// A dispatcher over the same channel that shares none of the kit's state: no connection, no credential, no cookie. Its
    /// environment is fixed to the current one of the switch. Interceptors are copied by ``RequestInterceptor/isolatedCopy()``;
    /// the kit does not copy the state of other custom hooks.
    ///
    /// - Parameter transport: answers everything, also in place of the environment's fixtures. `nil` for a copy of the channel's
    ///   own transport with its own connections (``Transport/isolatedCopy()``): a stub stays a stub.
    public func isolatedCopy(transport: (any Transport)? = nil) -> CommonDispatcher {
        CommonDispatcher(resolved: channel.isolated(transport: transport))
    }

    /// The channel of its calls.
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
