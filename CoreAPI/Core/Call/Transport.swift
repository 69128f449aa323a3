/// Carries one request over the wire, or answers in its place.
///
/// Use a transport, or a wrapper around one, for what concerns the exchange itself: fixtures, caches, recording. What concerns
/// the meaning of a request belongs into an interceptor or an enhancer. Called once per attempt, on any thread, concurrently; it
/// never throws, because a failure is an answer too and must not lose what was received before it.
public protocol Transport: Sendable {
    /// Sends the attempt's request and returns what came of it: the head, and the whole body or a stream of it; or a failure
    /// beside as much as arrived. Honours the cancellation of the surrounding task and the request's ``Request/timeout``.
    ///
    /// A redirect is an answer like any other, and cookies are headers: middleware deals with both. A stream
    /// (``Attempt/streamsBody``) need not be given; the pipeline takes bytes as well.
    func send(_ attempt: Attempt) async -> Reply

    /// Ends what the transport holds open. Requests in flight fail; returns when no connection or transfer of its is left.
    /// Calling it again does nothing. The default does nothing at all.
    func close() async

    /// Whether requests leave the process. `false` for what answers by itself: fixtures, a stub, a recording. Default `true`. A
    /// request that would leave a simulated environment is refused only where it could.
    var reachesNetwork: Bool { get }

    /// A transport that shares no connection with this one, for ``CommonDispatcher/isolatedCopy(transport:)``. The default
    /// returns the transport itself, which is right for one that has no connections.
    func isolatedCopy() -> any Transport
}

extension Attempt {
    /// Whether the caller reads the body as it comes. A transport that gives a stream then also gives one for an answer that will
    /// be refused; the pipeline collects it.
    public var streamsBody: Bool { call.streamsBody }
}

extension Transport {
    public func close() async {}
    public var reachesNetwork: Bool { true }
    public func isolatedCopy() -> any Transport { self }
}
