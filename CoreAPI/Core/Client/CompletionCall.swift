internal import CoreAPILock

/// A call with a completion, from its first attempt to the last one made by hand.
final class CompletionCall<Value: Sendable>: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let queue: CallbackQueue
    private let completion: @Sendable (Response<Value>) async -> Void
    private let state = Mutex(State())

    init(queue: CallbackQueue, completion: @escaping @Sendable (Response<Value>) async -> Void) {
        self.queue = queue
        self.completion = completion
    }

    /// Begins, and gives the handle to cancel with.
    func start(_ run: @escaping @Sendable () async -> Response<Value>) -> Cancellable {
        begin { await self.deliver(run()) }
        return Cancellable { self.cancel() }
    }

    /// A repetition's task replaces the earlier one, of which only the completion may still run.
    private func begin(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            let task = Task { await work() }
            if state.isCancelled { task.cancel() }
            state.task = task
        }
    }

    private func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    private func deliver(_ response: Response<Value>) async {
        let `repeat`: Call.ManualRetry.Repeat = { max, delay, refused in
            // Asked here and not in the task: an attempt that has begun always ends in the completion.
            let isCancelled = self.state.withLock { $0.isCancelled }
            self.begin {
                do throws(RetryRefusal) {
                    if isCancelled { throw .cancelled }
                    await self.deliver(try await response.retry(max: max, delay: delay))
                } catch {
                    await self.queue.run { await refused(error) }
                }
            }
        }
        // The repetition keeps the response and its call, so the completion gets the call that keeps the repetition.
        let delivered = response.of(Call(delivering: response.call, .open(`repeat`, queue)))
        // Only the completion prefers the queue; the call itself must not run on it.
        await queue.run { await self.completion(delivered) }
        // A kept success would keep the completion forever. A failure is retried, or shown and released.
        if response.error == nil { delivered.call.endManualRetry(.completionEnded) }
    }
}

/// Stops a call. Cancelling twice, or after the end, does nothing.
///
/// ```swift
/// let both = Cancellable([manager.request(endpoint: .orders, type: [Order].self, completion: show), timer])
/// ```
public struct Cancellable: Sendable {
    private let onCancel: @Sendable () -> Void

    /// Makes a handle from a function that cancels.
    ///
    /// - Parameter onCancel: called on each ``cancel()``, on its caller's thread.
    public init(_ onCancel: @escaping @Sendable () -> Void = {}) {
        self.onCancel = onCancel
    }

    /// Several in one.
    public init(_ parts: [Cancellable]) {
        self.init { for part in parts { part.cancel() } }
    }

    /// Aborts the transfer; the completion receives ``APIClientError/cancelled(_:)`` unless the result was already being
    /// delivered.
    public func cancel() {
        onCancel()
    }
}
