/// A future value that many tasks may wait for, each with its own deadline.
///
/// `Task.value` is not enough: a task that waits for it keeps waiting after its own cancellation.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var outcome: Result<Value, any Error>?
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
        var next = 0
    }

    private let state: Mutex<State>

    package init(_ outcome: Result<Value, any Error>? = nil) { state = Mutex(State(outcome: outcome)) }

    /// Resumes every waiting task. The first outcome wins. Returns whether this is the first one.
    @discardableResult
    package func fulfil(_ outcome: Result<Value, any Error>) -> Bool {
        let waiters = state.withLock { state -> [Int: CheckedContinuation<Value, any Error>]? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters?.values ?? [:].values { waiter.resume(with: outcome) }
        return waiters != nil
    }

    /// The value, once it is set. Throws the promise's error, `CancellationError`, or `tooLate` at the deadline, if there is one.
    package func value(
        until deadline: ContinuousClock.Instant? = nil, tooLate: @escaping @Sendable () -> any Error = { CancellationError() }
    ) async throws -> Value {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let timer = deadline.map { deadline in
            Task {
                try await Task.sleep(until: deadline, clock: .continuous)
                leave(id, tooLate())
            }
        }
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Result<Value, any Error>? in
                    if let outcome = state.outcome { return outcome }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let deadline, deadline <= .now { return .failure(tooLate()) }
                    state.waiters[id] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            leave(id, CancellationError())
        }
    }

    private func leave(_ id: Int, _ error: any Error) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: error)
    }
}

extension Duration {
    /// A year, the longest time that the kit sleeps or adds to an instant: with the largest Duration both trap.
    package static var year: Duration { .seconds(365 * 86_400) }

    /// This time as a pause: at least zero, at most a ``year``.
    package var asPause: Duration { min(max(self, .zero), .year) }
}
