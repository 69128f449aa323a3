internal import CoreAPI
internal import OpenCombineShim

/// One subscription: a call that begins with the first demand.
final class CallSubscription<Value: Sendable>: Subscription, Sendable {
    private enum State: Sendable {
        case waiting(Receiver)
        case running(Receiver, Task<Void, Never>)
        case ended
    }

    /// Subscribers do not say that they may be sent; this one is called by whoever ended the subscription, and by nobody else.
    private struct Receiver: @unchecked Sendable {  // Called once, by one task.
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

    /// Whoever ends the subscription gets what it was, so that a value and a cancellation never both count.
    private func end() -> State {
        state.withLock { state in
            defer { state = .ended }
            return state
        }
    }

    private func call() async {
        let result = await run().result
        await queue.run {
            guard case .running(let receiver, _) = self.end() else { return }
            let subscriber = receiver.subscriber
            switch result {
            case .success(let value):
                _ = subscriber.receive(value)
                subscriber.receive(completion: .finished)
            case .failure(let error):
                subscriber.receive(completion: .failure(error))
            }
        }
    }
}
