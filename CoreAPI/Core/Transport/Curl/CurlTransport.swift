public import Foundation
internal import Synchronization

/// Sends requests over HTTP/1.1 and HTTP/2 with the system's libcurl.
///
/// One transport owns one thread, its connections and its queue; a channel has one of its own, so that channels cannot starve each
/// other. It follows redirects itself, decodes compressed bodies, and never sends a request twice that may not be sent twice. It keeps
/// no cookies, no credentials and no cache.
///
/// ```swift
/// let transport = CurlTransport()
/// let response = await transport.send(request)
/// await transport.close()
/// ```
///
/// A transport that is let go of without ``close()`` ends its thread and connections by itself, a little later.
public final class CurlTransport: Transport {
    private let loop: CurlLoop

    /// Starts nothing yet; the thread begins with the first request.
    ///
    /// - Parameter limits: bounds of connections and queue. The bounds of a response are those of the request's own channel.
    public init(limits: Limits = Limits()) {
        loop = CurlLoop(limits: limits)
    }

    deinit {
        loop.abandon()
    }

    public func send(_ request: Request) async -> Response<Data> {
        await CurlExchange(request, loop: loop).run()
    }

    public func close() async {
        await loop.close()
    }

    /// Transfers that libcurl works on.
    package var activeTransfers: Int { loop.active.load(ordering: .acquiring) }
    /// Transfers that wait for a place.
    package var queuedTransfers: Int { loop.queued.load(ordering: .acquiring) }
    /// Whether the thread lives.
    package var isRunning: Bool { loop.isRunning }
}
