package import CoreAPI

/// One call, as a listener of its channel recorded it.
package struct RecordedCall: Sendable {
    /// The end of a call.
    package struct Outcome: Sendable {
        let error: APIClientError?
        /// The whole time: attempts, pauses, other calls that it waited for, decoding.
        let elapsed: Duration
    }

    package let id: String
    package let endpoint: String
    package let started: ContinuousClock.Instant
    /// The exchanges, including hops of redirects, oldest first.
    package private(set) var exchanges: [Exchange] = []
    /// `nil` while the call runs.
    package var outcome: Outcome?

    /// The pause before the call's next attempt.
    package var pause = Duration.zero

    package init(_ call: Call) {
        id = call.id
        endpoint = call.endpoint
        started = call.started
    }

    /// Adds an exchange that begins now.
    package mutating func begin(_ attempt: Attempt, at now: ContinuousClock.Instant) {
        exchanges.append(Exchange(request: attempt.request, endpoint: endpoint, sentAt: now, pause: pause))
        pause = .zero
    }

    /// Records the response of the last exchange.
    package mutating func end(_ response: RawResponse) {
        guard let last = exchanges.indices.last else { return }
        exchanges[last].head = response.head
        // A body that is held and not read would keep its connection.
        exchanges[last].response = response.with(body: .none)
        exchanges[last].error = response.failure
    }

    /// Records the error of the last exchange's answer.
    package mutating func note(_ error: APIClientError?) {
        guard let last = exchanges.indices.last else { return }
        exchanges[last].error = error
    }
}
