public import CoreAPIHTTPSupport

/// Listens to the life of calls: logging, metrics, tracing, an inspector and a test's recorder are listeners, side by side.
///
/// ```swift
/// struct Counting: Listener {
///     func finished(_ event: CallEvent.Finished) { count(event.response.error?.label ?? "success") }
/// }
/// channel.listeners = [Counting()]
/// ```
///
/// A listener implements the methods that it wants; the others do nothing. They are called synchronously, in the order in which
/// they stand here, on the thread of the pipeline, concurrently for different calls. A listener must be quick and must not block.
/// It cannot throw and cannot change anything. Without a listener no event is made.
public protocol Listener: Sendable {
    /// The request was built, encoded and enhanced.
    func built(_ event: CallEvent.Built)
    /// An attempt is adapted and complete, and begins.
    func started(_ event: CallEvent.Started)
    /// An exchange joins the transport's queue. Told once for each redirect, too, as the following ones.
    func queued(_ event: CallEvent.Queued)
    /// It left the queue.
    func sent(_ event: CallEvent.Sent)
    /// The host's name was resolved. Not told where a connection was open, as the next two.
    func resolved(_ event: CallEvent.Resolved)
    func connected(_ event: CallEvent.Connected)
    func secured(_ event: CallEvent.Secured)
    /// The answer's head came.
    func head(_ event: CallEvent.Head)
    /// Bytes of the answer's body came: once for a body that is collected, for each chunk of one that streams.
    func body(_ event: CallEvent.BodyProgress)
    /// The transport is done with an exchange, or has failed; of a body that streams, its head is there. Told after the events
    /// above.
    func exchanged(_ event: CallEvent.Exchanged)
    /// The answer is a redirect that is followed.
    func redirected(_ event: CallEvent.Redirected)
    /// A middleware answered instead of the network.
    func cached(_ event: CallEvent.Cached)
    /// The answer is decoded or refused; told for each attempt that has an answer.
    func read(_ event: CallEvent.Read)
    /// An attempt failed, and another will be made after the pause.
    func retrying(_ event: CallEvent.Retrying)
    /// A verified server answered with keys that are not pinned for it.
    func pinMismatch(_ event: CallEvent.Mismatched)
    /// Something works today and may not one day, see ``Channel/warnings``; or a cookie was refused.
    func warning(_ event: CallEvent.Warning)
    /// The call is settled.
    func finished(_ event: CallEvent.Finished)
    /// The result handler threw; the caller gets the result all the same.
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

/// The events of a ``Listener``. Each carries its attempt, and so the call with its id.
public enum CallEvent {
    public struct Built: Sendable {
        public let attempt: Attempt
    }

    public struct Started: Sendable {
        public let attempt: Attempt
    }

    public struct Queued: Sendable {
        public let attempt: Attempt

        package init(attempt: Attempt) {
            self.attempt = attempt
        }
    }

    public struct Sent: Sendable {
        public let attempt: Attempt
        /// How long the request was in the queue.
        public let queued: Duration
    }

    public struct Resolved: Sendable {
        public let attempt: Attempt
        /// How long name resolution took.
        public let duration: Duration
    }

    public struct Connected: Sendable {
        public let attempt: Attempt
        /// How long TCP took.
        public let duration: Duration
        /// The peer's address, where the transport knows it.
        public let address: String?
    }

    public struct Secured: Sendable {
        public let attempt: Attempt
        /// How long TLS took.
        public let duration: Duration
    }

    public struct Head: Sendable {
        public let attempt: Attempt
        public let head: ResponseHead
    }

    public struct BodyProgress: Sendable {
        public let attempt: Attempt
        /// Bytes of the body so far, decompressed.
        public let received: Int64
        /// Bytes of the whole body, where the answer's head names them.
        public let expected: Int64?

        /// For a transport that tells of a body that it streams.
        public init(attempt: Attempt, received: Int64, expected: Int64?) {
            self.attempt = attempt
            self.received = received
            self.expected = expected
        }
    }

    public struct Exchanged: Sendable {
        /// The attempt as the transport got it.
        public let attempt: Attempt
        /// What the transport answered with.
        public let reply: Reply
    }

    public struct Redirected: Sendable {
        /// The attempt that was answered with the redirect.
        public let attempt: Attempt
        public let status: Int
        public let url: HTTPURL
    }

    public struct Cached: Sendable {
        public let attempt: Attempt

        /// - Parameter attempt: what the middleware answered.
        public init(_ attempt: Attempt) {
            self.attempt = attempt
        }
    }

    public struct Read: Sendable {
        public let attempt: Attempt
        /// Why the answer was refused or could not be decoded.
        public let error: APIClientError?
    }

    public struct Retrying: Sendable {
        public let response: Response<Void>
        /// How long the call waits before the next attempt.
        public let delay: Duration
    }

    public struct Mismatched: Sendable {
        public let attempt: Attempt
        public let mismatch: PinMismatch

        package init(attempt: Attempt, mismatch: PinMismatch) {
            self.attempt = attempt
            self.mismatch = mismatch
        }
    }

    public struct Warning: Sendable {
        public let attempt: Attempt
        public let text: String
    }

    public struct Finished: Sendable {
        public let response: Response<Void>
    }

    public struct ResultHandlerFailed: Sendable {
        public let response: Response<Void>
        public let error: any Error
    }
}

extension Attempt {
    /// Tells the listeners of the attempt's channel.
    ///
    /// - Parameter event: not called where there is no listener.
    public func tell(_ event: (any Listener) -> Void) { call.tell(event) }

    package func warn(_ text: String) { tell { $0.warning(CallEvent.Warning(attempt: self, text: text)) } }

    @inline(never)
    func tellQueued() { tell { $0.queued(CallEvent.Queued(attempt: self)) } }

    /// What is known of an exchange once its head has come, in the order in which it happened.
    @inline(never)
    func tellExchange(_ reply: Reply) {
        guard !call.prepared.listeners.isEmpty else { return }
        tell { listener in
            if let metrics = reply.metrics {
                listener.sent(CallEvent.Sent(attempt: self, queued: metrics.queued))
                if let duration = metrics.nameLookup { listener.resolved(CallEvent.Resolved(attempt: self, duration: duration)) }
                if let duration = metrics.connect {
                    listener.connected(
                        CallEvent.Connected(attempt: self, duration: duration, address: metrics.remoteAddress))
                }
                if let duration = metrics.tls { listener.secured(CallEvent.Secured(attempt: self, duration: duration)) }
            }
            if let head = reply.head { listener.head(CallEvent.Head(attempt: self, head: head)) }
            if case .bytes(let data) = reply.body, !data.isEmpty {
                listener.body(CallEvent.BodyProgress(attempt: self, received: Int64(data.count), expected: Int64(data.count)))
            }
            listener.exchanged(CallEvent.Exchanged(attempt: self, reply: reply))
        }
    }
}

/// Hands the events that a ``NetworkLogger`` knows on to it.
struct LoggerListener: Listener {
    let logger: any NetworkLogger

    func started(_ event: CallEvent.Started) { logger.log(.sending(event.attempt.request)) }
    func retrying(_ event: CallEvent.Retrying) { logger.log(.retrying(event.response, after: event.delay)) }
    func pinMismatch(_ event: CallEvent.Mismatched) { logger.log(.pinMismatch(event.mismatch, event.attempt.request)) }
    func warning(_ event: CallEvent.Warning) { logger.log(.warning(event.text, event.attempt.request)) }
    func finished(_ event: CallEvent.Finished) { logger.log(.finished(event.response)) }
    func resultHandlerFailed(_ event: CallEvent.ResultHandlerFailed) {
        logger.log(.resultHandlerFailed(event.error, event.response))
    }
}
