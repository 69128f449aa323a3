internal import CoreAPICore
internal import CoreAPIHTTP
internal import OpenCombineShim

/// One subscription: a call that begins with the first demand.
final class CallSubscription<Value: Sendable>: Subscription, Sendable {
    private enum State: Sendable {
        case waiting(Receiver)
        case running(Receiver, Task<Void, Never>)
        /// The value was delivered, the completion was not.
        case finishing(Receiver)
        case ended

        var receiver: Receiver? {
            switch self {
            case .running(let receiver, _), .finishing(let receiver): receiver
            case .waiting, .ended: nil
            }
        }
    }

    /// Subscribers are not marked as sendable. Only the code that ended the subscription calls this one.
    ///
    /// `@unchecked`: called once, by one task.
    private struct Receiver: @unchecked Sendable {
        let subscriber: AnySubscriber<Value, APIClientError>
    }

    private let state: Mutex<State>
    private let queue: CallbackQueue
    private let run: @Sendable () async -> Response<Value>

    init(
        _ subscriber: AnySubscriber<Value, APIClientError>, queue: CallbackQueue,
        run: @escaping @Sendable () async -> Response<Value>
    ) {
        state = Mutex(.waiting(Receiver(subscriber: subscriber)))
        self.queue = queue
        self.run = run
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        state.withLock { state in
            guard case .waiting(let receiver) = state else { return }
            state = .running(receiver, Task { await self.call() })
        }
    }

    func cancel() {
        if case .running(_, let task) = end() { task.cancel() }
    }

    /// The caller that ends the subscription gets its last state, so that a value and a cancellation never both count.
    private func end() -> State {
        state.withLock { state in
            defer { state = .ended }
            return state
        }
    }

    private func finishing() -> Receiver? {
        state.withLock { state in
            guard let receiver = state.receiver else { return nil }
            state = .finishing(receiver)
            return receiver
        }
    }

    private func call() async {
        let result = await run().result
        await queue.run {
            if case .success(let value) = result, let receiver = self.finishing() { _ = receiver.subscriber.receive(value) }
            // A subscriber that cancelled during the delivery of the value receives no completion.
            guard let receiver = self.end().receiver else { return }
            switch result {
            case .success: receiver.subscriber.receive(completion: .finished)
            case .failure(let error): receiver.subscriber.receive(completion: .failure(error))
            }
        }
    }
}
