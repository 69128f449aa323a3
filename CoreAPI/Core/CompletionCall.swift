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

    /// The task of a repetition takes the place of the one before it, which is over but for its completion.
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
        var heard = response
        heard.request?.repetition = Repetition { max, delay, failCallback in
            // Asked here and not in the task: a repetition that was begun always ends in the completion.
            let isCancelled = self.state.withLock { $0.isCancelled }
            self.begin {
                if isCancelled { return await self.refuse(.cancelled, failCallback) }
                await self.repeat(response, max, delay, failCallback)
            }
        }
        let result = heard
        // Only the completion prefers the queue; the call itself must not run on it.
        await queue.run { await completion(result) }
    }

    private func `repeat`(
        _ response: Response<Value>, _ max: Int, _ delay: Duration, _ failCallback: @escaping Repetition.Failed
    ) async {
        guard let next = await response.retry(max: max, delay: delay) else {
            return await refuse(.exhausted(max: max), failCallback)
        }
        await deliver(next)
    }

    private func refuse(_ refusal: RetryRefusal, _ failCallback: @escaping Repetition.Failed) async {
        await queue.run { await failCallback(refusal) }
    }
}
