/// Sends one request over the wire, or answers it locally.
///
/// Use a transport, or a wrapper around one, for the exchange itself: another library, fixtures, a recording. Use a
/// ``Middleware`` for caches, signatures and credentials. Called for each request that is sent, each hop and each repetition, on
/// any thread, concurrently. It never throws, because a failure must keep everything that was received before it.
public protocol Transport: Sendable {
    /// Sends the attempt's request and returns its response: the head, and the whole body or a stream of it. A failure comes with
    /// everything that arrived. Honours the cancellation of the surrounding task and the request's ``Request/timeout``.
    ///
    /// A redirect is a response like any other, and cookies are headers: middleware handles both. A transport may ignore that the
    /// call wants a stream (``Attempt/streamsBody``); the pipeline accepts bytes as well.
    func send(_ attempt: Attempt) async -> RawResponse

    /// Closes everything that the transport holds open. Requests in flight fail. Returns when no connection and no exchange is
    /// left. A second call does nothing. The default does nothing at all.
    func close() async

    /// Whether requests leave the process. `false` for a transport that answers by itself: fixtures, a stub, a recording. Default
    /// `true`. Only if it is `true` does the kit reject requests that would leave a simulated environment.
    var reachesNetwork: Bool { get }

    /// A transport that shares no connection with this one, for ``CommonDispatcher/isolatedCopy(transport:)``. The default
    /// returns the transport itself, which is right for a transport without connections.
    func isolatedCopy() -> any Transport
}

extension Attempt {
    /// Whether the caller reads the body as it arrives. A transport that streams may also stream a response that will be
    /// rejected; the pipeline collects it.
    public var streamsBody: Bool { call.streamsBody }
}

/// Learns how many bytes of the body a transport has taken. The number falls when the body is sent again.
package struct SendingObserver: RequestModifier {
    /// Called on the transport's thread: it must not wait.
    package let sent: @Sendable (Int64) -> Void

    package init(sent: @escaping @Sendable (Int64) -> Void) {
        self.sent = sent
    }
}

extension Transport {
    public func close() async {}
    public var reachesNetwork: Bool { true }
    public func isolatedCopy() -> any Transport { self }
}

/// A modifier that sends the attempts of a streaming call otherwise, over the channel's transport: by an upgrade.
package protocol TransportModifier: RequestModifier {
    func transport(over transport: any Transport) -> any Transport
}

extension Attempt {
    // Asked for streaming calls only: a search among modifiers would slow every request.
    func transport() -> any Transport {
        let transport = call.prepared.transport
        guard streamsBody else { return transport }
        let modifier = request.modifiers.lazy.compactMap { $0 as? any TransportModifier }.last
        return modifier?.transport(over: transport) ?? transport
    }
}
