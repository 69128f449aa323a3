public import CoreAPIHTTP
public import CoreAPITrust

/// Receives the events of calls: logging, metrics, tracing, an inspector and a test's recorder are listeners, side by side.
///
/// ```swift
/// struct Counting: Listener {
///     func finished(_ event: CallEvent.Finished) { count(event.response.error?.label ?? "success") }
/// }
/// channel.listeners = [Counting()]
/// ```
///
/// A listener implements the methods that it wants; the others do nothing. They are called synchronously, in the order of the
/// events, in Swift's thread pool, concurrently for different calls. A listener must be quick and must not block. It cannot throw
/// and cannot change anything. Without a listener no event is made.
public protocol Listener: Sendable {
    /// The request was built, encoded and enhanced.
    func built(_ event: CallEvent.Built)
    /// An attempt is adapted and complete, and begins.
    func started(_ event: CallEvent.Started)
    /// An exchange joins the transport's queue. Reported for each redirect, too, like the following events.
    func queued(_ event: CallEvent.Queued)
    /// The exchange left the queue. This event and those up to ``head(_:)`` are reported together, when the head has arrived or
    /// the exchange has failed; their durations are libcurl's.
    func sent(_ event: CallEvent.Sent)
    /// The host's name was resolved. Not reported if a connection was open, like the next two events.
    func resolved(_ event: CallEvent.Resolved)
    /// TCP is connected.
    func connected(_ event: CallEvent.Connected)
    /// The TLS handshake is done.
    func secured(_ event: CallEvent.Secured)
    /// An interim head arrived before the final one, such as a 103 with links (RFC 8297).
    func informational(_ event: CallEvent.Head)
    /// The response's head arrived.
    func head(_ event: CallEvent.Head)
    /// Bytes of the response's body arrived: once for a collected body, for each chunk of a streamed body.
    func body(_ event: CallEvent.BodyProgress)
    /// The transport has finished an exchange, or has failed. For a streamed body, its head has arrived. Reported after the
    /// events above, but before ``body(_:)`` of a streamed body.
    func exchanged(_ event: CallEvent.Exchanged)
    /// The response is a redirect that is followed.
    func redirected(_ event: CallEvent.Redirected)
    /// A middleware answered instead of the network.
    func cached(_ event: CallEvent.Cached)
    /// The response was decoded or rejected; reported for each attempt with a response.
    func read(_ event: CallEvent.Read)
    /// An attempt failed, and another will be made after the pause.
    func retrying(_ event: CallEvent.Retrying)
    /// A verified server presented keys that differ from its pins. Reported before ``sent(_:)``.
    func pinMismatch(_ event: CallEvent.Mismatched)
    /// A setting works today and may fail one day, see ``Channel/warnings``; or a cookie was rejected. Reported at any time.
    func warning(_ event: CallEvent.Warning)
    /// The call has its final result.
    func finished(_ event: CallEvent.Finished)
    /// The result handler threw; the caller still gets the result. Reported before ``finished(_:)``.
    func resultHandlerFailed(_ event: CallEvent.ResultHandlerFailed)
}

extension Listener {
    public func built(_ event: CallEvent.Built) {}
    public func started(_ event: CallEvent.Started) {}
    public func queued(_ event: CallEvent.Queued) {}
    public func sent(_ event: CallEvent.Sent) {}
    public func resolved(_ event: CallEvent.Resolved) {}
    public func connected(_ event: CallEvent.Connected) {}
    public func secured(_ event: CallEvent.Secured) {}
    public func informational(_ event: CallEvent.Head) {}
    public func head(_ event: CallEvent.Head) {}
    public func body(_ event: CallEvent.BodyProgress) {}
    public func exchanged(_ event: CallEvent.Exchanged) {}
    public func redirected(_ event: CallEvent.Redirected) {}
    public func cached(_ event: CallEvent.Cached) {}
    public func read(_ event: CallEvent.Read) {}
    public func retrying(_ event: CallEvent.Retrying) {}
    public func pinMismatch(_ event: CallEvent.Mismatched) {}
    public func warning(_ event: CallEvent.Warning) {}
    public func finished(_ event: CallEvent.Finished) {}
    public func resultHandlerFailed(_ event: CallEvent.ResultHandlerFailed) {}
}

/// The events of a ``Listener``. Each carries its attempt or its response, and so the call with its id.
public enum CallEvent {
    /// The request was built; see ``Listener/built(_:)``.
    public struct Built: Sendable {
        /// The attempt to come, with the built request.
        public let attempt: Attempt
    }

    /// An attempt begins; see ``Listener/started(_:)``.
    public struct Started: Sendable {
        /// The attempt that begins.
        public let attempt: Attempt
    }

    /// An exchange joins the queue; see ``Listener/queued(_:)``.
    public struct Queued: Sendable {
        /// The attempt that the exchange belongs to.
        public let attempt: Attempt

        package init(attempt: Attempt) {
            self.attempt = attempt
        }
    }

    /// An exchange left the queue; see ``Listener/sent(_:)``.
    public struct Sent: Sendable {
        /// The attempt that the exchange belongs to.
        public let attempt: Attempt
        /// How long the request was in the queue.
        public let queued: Duration
    }

    /// The host's name was resolved; see ``Listener/resolved(_:)``.
    public struct Resolved: Sendable {
        /// The attempt that needed the name.
        public let attempt: Attempt
        /// How long name resolution took.
        public let duration: Duration
    }

    /// TCP is connected; see ``Listener/connected(_:)``.
    public struct Connected: Sendable {
        /// The attempt that needed the connection.
        public let attempt: Attempt
        /// How long TCP took.
        public let duration: Duration
        /// The peer's address, if the transport knows it.
        public let address: String?
    }

    /// The TLS handshake is done; see ``Listener/secured(_:)``.
    public struct Secured: Sendable {
        /// The attempt that needed the connection.
        public let attempt: Attempt
        /// How long TLS took.
        public let duration: Duration
    }

    /// The response's head arrived; see ``Listener/head(_:)``.
    public struct Head: Sendable {
        /// The attempt that is answered.
        public let attempt: Attempt
        /// Status and fields.
        public let head: ResponseHead
    }

    /// Bytes of the body arrived; see ``Listener/body(_:)``.
    public struct BodyProgress: Sendable {
        /// The attempt that is answered.
        public let attempt: Attempt
        /// Bytes of the body so far, decompressed.
        public let received: Int64
        /// Bytes of the whole body, if the response's head has its length.
        public let expected: Int64?

        /// For a transport that reports the progress of a streamed body.
        public init(attempt: Attempt, received: Int64, expected: Int64?) {
            self.attempt = attempt
            self.received = received
            self.expected = expected
        }
    }

    /// The transport has finished an exchange; see ``Listener/exchanged(_:)``.
    public struct Exchanged: Sendable {
        /// The attempt as the transport got it.
        public let attempt: Attempt
        /// The transport's response.
        public let response: RawResponse
    }

    /// A redirect is followed; see ``Listener/redirected(_:)``.
    public struct Redirected: Sendable {
        /// The attempt whose response is the redirect.
        public let attempt: Attempt
        /// The redirect's status.
        public let status: Int
        /// The address that the redirect leads to.
        public let url: HTTPURL
    }

    /// A middleware answered instead of the network; see ``Listener/cached(_:)``.
    public struct Cached: Sendable {
        /// The attempt that the middleware answered.
        public let attempt: Attempt

        /// Makes the event that a middleware reports.
        ///
        /// - Parameter attempt: the attempt that the middleware answered.
        public init(_ attempt: Attempt) {
            self.attempt = attempt
        }
    }

    /// The response was decoded or rejected; see ``Listener/read(_:)``.
    public struct Read: Sendable {
        /// The attempt that was answered.
        public let attempt: Attempt
        /// Why the response was rejected or could not be decoded.
        public let error: APIClientError?
    }

    /// Another attempt will be made; see ``Listener/retrying(_:)``.
    public struct Retrying: Sendable {
        /// The response of the failed attempt.
        public let response: Response<Void>
        /// How long the call waits before the next attempt.
        public let delay: Duration
    }

    /// A server's keys differ from its pins; see ``Listener/pinMismatch(_:)``.
    public struct Mismatched: Sendable {
        /// The attempt that met the server.
        public let attempt: Attempt
        /// The server's keys, and the pins.
        public let mismatch: PinSet.Mismatch

        package init(attempt: Attempt, mismatch: PinSet.Mismatch) {
            self.attempt = attempt
            self.mismatch = mismatch
        }
    }

    /// A setting may fail one day; see ``Listener/warning(_:)``.
    public struct Warning: Sendable {
        /// The attempt that showed it.
        public let attempt: Attempt
        /// The warning, in words.
        public let text: String
    }

    /// The call has its final result; see ``Listener/finished(_:)``.
    public struct Finished: Sendable {
        /// The final response. Its value is left out, because its type differs from call to call.
        public let response: Response<Void>
    }

    /// The result handler threw; see ``Listener/resultHandlerFailed(_:)``.
    public struct ResultHandlerFailed: Sendable {
        /// The final response, without its value.
        public let response: Response<Void>
        /// The error that the handler threw.
        public let error: any Error
    }
}

extension Response {
    /// Passes a warning about the response to the listeners of its channel.
    package func warn(_ text: String) { raw.attempt?.warn(text) }
}

extension Attempt {
    /// Passes an event to the listeners of the attempt's channel.
    ///
    /// - Parameter event: not called if there is no listener.
    public func notify(_ event: (any Listener) -> Void) { call.notify(event) }

    package func warn(_ text: String) { notify { $0.warning(CallEvent.Warning(attempt: self, text: text)) } }

    // Not inlined, these two: an event by value would lie in the frame of the async caller (4,592 → 5,618 bytes a held call).

    @inline(never)
    func notifyQueued() { notify { $0.queued(CallEvent.Queued(attempt: self)) } }

    /// The events of an exchange that are known once its head has arrived, in order.
    @inline(never)
    func notifyExchange(_ raw: RawResponse) {
        guard !call.prepared.listeners.isEmpty else { return }
        notify { listener in
            if let metrics = raw.metrics {
                listener.sent(CallEvent.Sent(attempt: self, queued: metrics.queued))
                if let duration = metrics.nameLookup { listener.resolved(CallEvent.Resolved(attempt: self, duration: duration)) }
                if let duration = metrics.connect {
                    listener.connected(CallEvent.Connected(attempt: self, duration: duration, address: metrics.remoteAddress))
                }
                if let duration = metrics.tls { listener.secured(CallEvent.Secured(attempt: self, duration: duration)) }
            }
            for head in raw.informational { listener.informational(CallEvent.Head(attempt: self, head: head)) }
            if let head = raw.head { listener.head(CallEvent.Head(attempt: self, head: head)) }
            if case .bytes(let data) = raw.body, !data.isEmpty {
                listener.body(CallEvent.BodyProgress(attempt: self, received: Int64(data.count), expected: Int64(data.count)))
            }
            listener.exchanged(CallEvent.Exchanged(attempt: self, response: raw))
        }
    }
}

/// Receives every attempt that is followed by another.
package struct AttemptObserver: RequestModifier {
    package let observe: @Sendable (Response<Void>) -> Void

    package init(_ observe: @escaping @Sendable (Response<Void>) -> Void) {
        self.observe = observe
    }
}
