internal import CoreAPICore
internal import CoreAPIHTTP
internal import OpenCombineShim

/// One subscription: a call that begins with the first demand.
final class CallSubscription<Value: Sendable>: Subscription, Sendable {
    // `@unchecked`: subscribers are not marked as sendable; this one is called by the call's task only.
    private struct Receiver: @unchecked Sendable {
        let subscriber: AnySubscriber<Value, APIClientError>
    }

    private struct State {
        /// `nil` after the completion, and after a cancellation.
        var receiver: Receiver?
        /// `nil` before the first demand.
        var task: Task<Void, Never>?
    }

    private let state: Mutex<State>
    private let queue: CallbackQueue
    private let run: @Sendable () async -> Response<Value>

    init(
        _ subscriber: AnySubscriber<Value, APIClientError>, queue: CallbackQueue,
        run: @escaping @Sendable () async -> Response<Value>
    ) {
        state = Mutex(State(receiver: Receiver(subscriber: subscriber)))
        (self.queue, self.run) = (queue, run)
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        state.withLock { state in
            guard state.receiver != nil, state.task == nil else { return }
            state.task = Task { await self.call() }
        }
    }

    func cancel() { end()?.task?.cancel() }

    /// The caller that ends the subscription gets its last state, so that a completion and a cancellation never both count.
    private func end() -> (receiver: Receiver, task: Task<Void, Never>?)? {
        state.withLock { state in
            defer { state.receiver = nil }
            return state.receiver.map { ($0, state.task) }
        }
    }

    private func call() async {
        let result = await run().result
        await queue.run {
            if case .success(let value) = result, let receiver = self.state.withLock({ $0.receiver }) {
                _ = receiver.subscriber.receive(value)
            }
            // A subscriber that cancelled during the delivery of the value receives no completion.
            guard let receiver = self.end()?.receiver else { return }
            switch result {
            case .success: receiver.subscriber.receive(completion: .finished)
            case .failure(let error): receiver.subscriber.receive(completion: .failure(error))
            }
        }
    }
}
