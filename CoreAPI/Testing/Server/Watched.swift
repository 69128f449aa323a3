internal import CoreAPI
internal import CoreAPIHTTP

/// A value that tasks can wait for: each change wakes exactly the waiters whose condition it meets, without polling.
final class Watched<Value: Sendable>: Sendable {
    /// How a wait ended.
    enum Outcome {
        case met
        case timedOut
    }

    typealias Condition = @Sendable (Value) -> Bool

    private enum Waiter {
        /// The task is registered but has not suspended yet.
        case arriving
        case waiting(Condition, CheckedContinuation<Outcome, any Error>)
        /// The wait ended before the task suspended.
        case dismissed(Result<Outcome, any Error>)
    }

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var lastID = 0
    }

    private let state: Mutex<State>

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    /// The value now.
    var value: Value { state.withLock { $0.value } }

    /// Changes the value and wakes the tasks that waited for this.
    @discardableResult
    func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        let (result, woken) = state.withLock { state in
            let result = change(&state.value)
            var woken: [CheckedContinuation<Outcome, any Error>] = []
            for (id, waiter) in state.waiters {
                guard case .waiting(let condition, let continuation) = waiter, condition(state.value) else { continue }
                state.waiters[id] = nil
                woken.append(continuation)
            }
            return (result, woken)
        }
        for continuation in woken { continuation.resume(returning: .met) }
        return result
    }

    /// Suspends until the condition holds or the time is over.
    ///
    /// - Parameter condition: Called under the lock, at each change: short, and without a call back into this object.
    /// - Throws: `CancellationError` if the task is cancelled.
    func wait(_ timeout: Duration, until condition: @escaping Condition) async throws -> Outcome {
        let id = state.withLock { state in
            state.lastID += 1
            state.waiters[state.lastID] = .arriving
            return state.lastID
        }
        let timer = Task {
            try await Task.sleep(for: timeout)
            dismiss(id, with: .success(.timedOut))
        }
        defer {
            timer.cancel()
            state.withLock { $0.waiters[id] = nil }
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { suspend(id, condition, $0) }
        } onCancel: {
            dismiss(id, with: .failure(CancellationError()))
        }
    }

    private func suspend(
        _ id: Int,
        _ condition: @escaping Condition,
        _ continuation: CheckedContinuation<Outcome, any Error>
    ) {
        let end: Result<Outcome, any Error>? = state.withLock { state in
            if condition(state.value) { return .success(.met) }
            if case .dismissed(let end) = state.waiters[id] { return end }
            state.waiters[id] = .waiting(condition, continuation)
            return nil
        }
        if let end { continuation.resume(with: end) }
    }

    private func dismiss(_ id: Int, with end: Result<Outcome, any Error>) {
        let continuation: CheckedContinuation<Outcome, any Error>? = state.withLock { state in
            switch state.waiters[id] {
            case .waiting(_, let continuation):
                state.waiters[id] = nil
                return continuation
            case .arriving:
                state.waiters[id] = .dismissed(end)
                return nil
            case .dismissed, nil:
                return nil
            }
        }
        continuation?.resume(with: end)
    }
}
