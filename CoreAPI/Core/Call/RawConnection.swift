public import Foundation

/// A ``Transport`` that also opens connections for another protocol than HTTP, such as WebSocket.
public protocol ConnectingTransport: Transport {
    /// Connects to the server of the attempt's request, through a proxy's tunnel if there is a proxy. Trust, limits and clocks
    /// are those of ``Transport/send(_:)``. Sends nothing of the request. Ends by an error if the surrounding task is
    /// cancelled.
    func connect(_ attempt: Attempt) async throws(APIClientError) -> any RawConnection
}

/// An open connection to a server, secured for `https`: bytes in both directions. Releasing it closes it.
public protocol RawConnection: AnyObject, Sendable {
    /// The next bytes; `nil` at the peer's end. No more is read from the peer than a bounded buffer holds. For one task at a
    /// time.
    ///
    /// - Throws: ``TransportError`` if the connection broke, `CancellationError` after a cancellation and after ``close()``.
    func read() async throws -> Data?

    /// Queues all bytes, or fails and queues no byte; waits while many are queued. For one task at a time.
    ///
    /// - Throws: as ``read()``.
    func write(_ data: Data) async throws

    /// Queues the last bytes at once, however many are queued. Later writes fail, and so does one that waits; reading goes on.
    /// After ``close()`` it only calls `sent`. A connection without a function of its own writes the bytes in a task.
    ///
    /// - Parameter sent: called once, when the system has all queued bytes or the connection is over.
    func finish(with last: Data, sent: @escaping @Sendable () -> Void)

    /// Closes the connection and ends what waits for it. Queued bytes are sent as far as the system takes them at once. A second
    /// call does nothing.
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
