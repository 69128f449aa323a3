import CoreAPI

/// What a call did, as its channel's logger heard it.
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
    /// One for each attempt that was sent, oldest first.
    private(set) var exchanges: [Exchange] = []
    /// `nil` while the call runs.
    var outcome: Outcome?

    private var pause = Duration.zero

    init(_ call: Call) {
        id = call.id
        endpoint = call.endpoint
        started = call.started
    }

    /// An attempt leaves.
    mutating func begin(_ request: Request, at now: ContinuousClock.Instant) {
        exchanges.append(Exchange(request: request, endpoint: endpoint, sentAt: now, pause: pause))
    }

    /// The attempt has come to something. One that never left, because an interceptor threw, leaves no exchange.
    mutating func end(_ response: Response<Void>, nextAfter pause: Duration = .zero) {
        self.pause = pause
        guard let last = exchanges.indices.last, exchanges[last].request.attempt == response.request?.attempt else { return }
        exchanges[last].head = response.head
        exchanges[last].metrics = response.metrics
        exchanges[last].error = response.error
    }
}
