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

    /// Closes the connection and ends what waits for it. Queued bytes may be lost. A second call does nothing.
    func close()

    /// The cost of connecting; `nil` if nothing was measured.
    var metrics: TransferMetrics? { get }
}
