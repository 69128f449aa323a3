public import Foundation

/// Sends one request over the wire, or answers it locally.
///
/// Use a transport, or a wrapper around one, for the exchange itself: another library, fixtures, a recording. Use a
/// ``Middleware`` for caches, signatures and credentials. Called for each request that is sent, each hop and each repetition, on
/// any thread, concurrently. It never throws, because a failure must keep everything that was received before it.
public protocol Transport: Sendable {
    /// Sends the attempt's request and returns its response: the head, and the whole body or a stream of it. A failure comes with
    /// everything that arrived. Honours the cancellation of the surrounding task and the request's ``Request/timeout``.
    ///
    /// A redirect is a response like any other, and cookies are headers: middleware handles both. A transport may ignore
    /// ``Attempt/streamsBody``; the pipeline accepts bytes as well.
    func send(_ attempt: Attempt) async -> RawResponse

    /// Closes everything that the transport holds open. Requests in flight fail. Returns when no connection and no exchange is
    /// left. A second call does nothing. The default does nothing at all.
    func close() async

    /// Whether requests leave the process. Default `true`; `false` for fixtures, a stub, a recording. Only if it is `true` does
    /// the kit reject requests that would leave a simulated environment.
    var reachesNetwork: Bool { get }

    /// A transport that shares no connection with this one, for ``CommonDispatcher/isolatedCopy(transport:)``. The default
    /// returns the transport itself, which is right for a transport without connections.
    func isolatedCopy() -> any Transport
}

extension Transport {
    public func close() async {}
    public var reachesNetwork: Bool { true }
    public func isolatedCopy() -> any Transport { self }
}

/// Learns how many bytes of the body a transport has taken. The number falls when the body is sent again.
package struct SendingObserver: RequestModifier {
    /// Called on the transport's thread: it must not wait.
    package let sent: @Sendable (Int64) -> Void

    package init(sent: @escaping @Sendable (Int64) -> Void) { self.sent = sent }
}

/// A modifier that sends the attempts of a streaming call otherwise, over the channel's transport: by an upgrade.
package protocol TransportModifier: RequestModifier {
    func transport(over transport: any Transport) -> any Transport
}

/// A ``Transport`` that also opens connections for another protocol than HTTP, such as WebSocket.
public protocol ConnectingTransport: Transport {
    /// Connects to the server of the attempt's request, through a proxy's tunnel if there is a proxy. Trust, limits and clocks
    /// are those of ``Transport/send(_:)``. Sends nothing of the request. Ends by an error if the surrounding task is cancelled.
    func connect(_ attempt: Attempt) async throws(APIClientError) -> any RawConnection
}

/// An open connection to a server, secured for `https`: bytes in both directions. Releasing it closes it.
public protocol RawConnection: AnyObject, Sendable {
    /// The next bytes; `nil` at the peer's end. No more is read than a bounded buffer holds. For one task at a time. Throws
    /// ``TransportError`` if the connection broke, `CancellationError` after a cancellation and after ``close()``.
    func read() async throws -> Data?

    /// Queues all bytes, or fails as ``read()`` does and queues no byte; waits while many are queued. For one task at a time.
    func write(_ data: Data) async throws

    /// Queues the last bytes at once, however many are queued. Later writes fail, and so does one that waits; reading goes on.
    /// After ``close()`` it only calls `sent`. A connection without a function of its own writes the bytes in a task.
    ///
    /// - Parameter sent: called once, when the system has all queued bytes or the connection is over.
    func finish(with last: Data, sent: @escaping @Sendable () -> Void)

    /// Closes the connection and ends what waits for it, once. Queued bytes are sent as far as the system takes them at once.
    func close()

    /// The cost of connecting; `nil` if nothing was measured.
    var metrics: ExchangeMetrics? { get }
}

extension RawConnection {
    public func finish(with last: Data, sent: @escaping @Sendable () -> Void) {
        Task {
            try? await write(last)
            sent()
        }
    }
}
