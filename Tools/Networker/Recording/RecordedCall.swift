import CoreAPI

/// What a call did, as a listener of its channel heard it.
struct RecordedCall: Sendable {
    /// How a call ended.
    struct Outcome: Sendable {
        let error: APIClientError?
        /// Everything included: attempts, pauses between them, other calls that they waited for, decoding.
        let elapsed: Duration
    }

    let id: String
    let endpoint: String
    let started: ContinuousClock.Instant
    /// Each that was sent, hops of redirects among them, oldest first.
    private(set) var exchanges: [Exchange] = []
    /// `nil` while the call runs.
    var outcome: Outcome?

    /// How long the call waits before its next attempt.
    var pause = Duration.zero

    init(_ call: Call) {
        id = call.id
        endpoint = call.endpoint
        started = call.started
    }

    /// An exchange begins.
    mutating func begin(_ attempt: Attempt, at now: ContinuousClock.Instant) {
        exchanges.append(Exchange(request: attempt.request, endpoint: endpoint, sentAt: now, pause: pause))
        pause = .zero
    }

    /// The last one has come to something.
    mutating func end(_ reply: Reply) {
        guard let last = exchanges.indices.last else { return }
        exchanges[last].head = reply.head
        exchanges[last].metrics = reply.metrics
        exchanges[last].error = reply.failure
    }

    /// What was wrong with the answer of the last one.
    mutating func note(_ error: APIClientError?) {
        guard let last = exchanges.indices.last else { return }
        exchanges[last].error = error
    }
}
