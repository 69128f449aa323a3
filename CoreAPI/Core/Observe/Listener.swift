public import CoreAPIHTTP
public import CoreAPITrust

/// Receives the events of calls: logging, metrics, tracing, an inspector and a test's recorder are listeners, side by side.
///
/// ```swift
/// struct Counting: Listener {
///     func notify(_ event: CallEvent) {
///         if case .finished(let response) = event { count(response.error?.label ?? "success") }
///     }
/// }
/// channel.listeners = [Counting()]
/// ```
///
/// Called synchronously, in the order of the events, in Swift's thread pool, concurrently for different calls. A listener must be
/// quick and must not block. It cannot throw and cannot change anything. Without a listener no event is made.
public protocol Listener: Sendable {
    /// Receives an event of a call.
    func notify(_ event: CallEvent)
}

/// The events of a call. Each carries its attempt or its response, and so the call with its id.
public enum CallEvent: Sendable {
    /// The request was built, encoded and enhanced.
    case built(Attempt)
    /// An attempt is adapted and complete, and begins.
    case started(Attempt)
    /// An exchange joins the transport's queue. Reported for each redirect, too, like the following events.
    case queued(Attempt)
    /// The exchange left the queue after this time. This event and those up to ``head(_:_:)`` are reported together, when the
    /// head has arrived or the exchange has failed; their durations are libcurl's.
    case sent(Attempt, queued: Duration)
    /// The host's name was resolved. Not reported if a connection was open, like the next two events.
    case resolved(Attempt, Duration)
    /// TCP is connected to an address, if the transport knows it.
    case connected(Attempt, Duration, address: String?)
    /// The TLS handshake is done.
    case secured(Attempt, Duration)
    /// An interim head arrived before the final one, such as a 103 with links (RFC 8297).
    case informational(Attempt, ResponseHead)
    /// The response's head arrived.
    case head(Attempt, ResponseHead)
    /// Bytes of the response's body arrived, decompressed and counted from its beginning: once for a collected body, for each
    /// chunk of a streamed one. `expected` is the whole body's, if the head has its length.
    case body(Attempt, received: Int64, expected: Int64?)
    /// The transport has finished an exchange, or has failed. For a streamed body, its head has arrived. Reported after the
    /// events above, but before ``body(_:received:expected:)`` of a streamed body.
    case exchanged(Attempt, RawResponse)
    /// The response to the attempt is a redirect that is followed.
    case redirected(Attempt, status: Int, to: HTTPURL)
    /// The response comes from a middleware instead of the network. Middleware reports it by ``Attempt/notify(_:)``.
    case cached(Attempt)
    /// The response was decoded, or rejected for this reason; reported for each attempt with a response.
    case read(Attempt, APIClientError?)
    /// An attempt failed, and another will be made after the pause.
    case retrying(Response<Void>, after: Duration)
    /// A verified server's keys differ from its pins. The request was rejected, unless pins only report.
    case pinMismatch(Attempt, PinSet.Mismatch)
    /// A setting works today and may fail one day, see ``Channel/warnings``; or a cookie was rejected. Reported at any time.
    case warning(Attempt, String)
    /// The call has its final result. The value is left out, because its type differs from call to call.
    case finished(Response<Void>)
    /// The result handler threw; the caller still gets the result. Reported before ``finished(_:)``.
    case resultHandlerFailed(Response<Void>, any Error)
}

extension Response {
    package func warn(_ text: String) { raw.attempt?.warn(text) }
}

extension Attempt {
    /// Passes an event to the listeners of the attempt's channel. Without a listener it is not made.
    public func notify(_ event: @autoclosure () -> CallEvent) { call.notify(event()) }
    package func warn(_ text: String) { notify(.warning(self, text)) }

    // Not inlined, these two: an event by value would lie in the frame of the async caller (4,592 → 5,618 bytes a held call).

    @inline(never)
    func notifyQueued() { notify(.queued(self)) }

    /// The events of an exchange that are known once its head has arrived, in order.
    @inline(never)
    func notifyExchange(_ raw: RawResponse) {
        guard !call.prepared.listeners.isEmpty else { return }
        if let metrics = raw.metrics {
            notify(.sent(self, queued: metrics.queued))
            if let duration = metrics.nameLookup { notify(.resolved(self, duration)) }
            if let duration = metrics.connect { notify(.connected(self, duration, address: metrics.remoteAddress)) }
            if let duration = metrics.tls { notify(.secured(self, duration)) }
        }
        for head in raw.informational { notify(.informational(self, head)) }
        if let head = raw.head { notify(.head(self, head)) }
        if case .bytes(let data) = raw.body, !data.isEmpty {
            notify(.body(self, received: Int64(data.count), expected: Int64(data.count)))
        }
        notify(.exchanged(self, raw))
    }
}
