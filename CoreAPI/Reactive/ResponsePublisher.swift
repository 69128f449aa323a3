public import CoreAPICore
internal import CoreAPIHTTP
public import OpenCombineShim

extension Dispatcher {
    /// A call as a publisher of its value, which arrives on `queue`, by default ``/CoreAPI/Dispatcher/callbackQueue``.
    ///
    /// ```swift
    /// networkManager.publisher(for: OrderEndpoint.list, as: .decodable(OrderList.self))
    ///     .retryRequest(max: 2, delay: .seconds(1))
    ///     .asResult()
    ///     .sink { result in show(result) }
    /// ```
    public func publisher<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>, queue: CallbackQueue? = nil
    ) -> ResponsePublisher<Value> {
        ResponsePublisher(queue: queue ?? callbackQueue) { await self.response(for: endpoint, as: decoding) }
    }

    /// A call as a publisher of the endpoint's own output; see ``ResponsePublisher``.
    public func publisher<Item: Endpoint>(
        for endpoint: Item, queue: CallbackQueue? = nil
    ) -> ResponsePublisher<Item.Output> {
        publisher(for: endpoint, as: endpoint.decoding, queue: queue)
    }
}

/// Makes a call per subscription and publishes its value, once, or the error it failed with.
///
/// Cold: nothing is sent before a subscriber demands a value, and every subscription is a separate call. Cancelling the
/// subscription cancels the call. The value arrives on the publisher's queue, the main one by default.
public struct ResponsePublisher<Value: Sendable>: Publisher, Sendable {
    public typealias Output = Value
    public typealias Failure = APIClientError

    private let queue: CallbackQueue
    private let run: @Sendable () async -> Response<Value>

    init(queue: CallbackQueue, run: @escaping @Sendable () async -> Response<Value>) {
        (self.queue, self.run) = (queue, run)
    }

    /// The same call with further manual attempts while it fails, as ``/CoreAPI/Response/retry(max:delay:)`` makes them, each
    /// after the delay. `max` counts attempts per subscription, in addition to those of interceptors and handlers.
    public func retryRequest(max: Int, delay: Duration = .zero) -> ResponsePublisher {
        ResponsePublisher(queue: queue) { [run] in
            var response = await run()
            while let error = response.error, !error.isCancelled, let next = try? await response.retry(max: max, delay: delay) {
                response = next
            }
            return response
        }
    }

    /// The same call as a publisher of its whole response: head, body, attempts and times, and the error of a failed call. The
    /// publisher itself never fails.
    ///
    /// ```swift
    /// networkManager.publisher(for: OrderEndpoint.list, as: .decodable(OrderList.self)).asResponse()
    ///     .sink { response in show(response.result, took: response.metrics?.total) }
    /// ```
    public func asResponse() -> AnyPublisher<Response<Value>, Never> {
        ResponsePublisher<Response<Value>>(queue: queue) { [run] in
            let response = await run()
            return response.with(.success(response))
        }
        .catch { _ in Empty() }
        .eraseToAnyPublisher()
    }

    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Value, Downstream.Failure == APIClientError {
        subscriber.receive(subscription: CallSubscription(AnySubscriber(subscriber), queue: queue, run: run))
    }
}

extension Publisher {
    /// Success and failure as values of a publisher that never fails, so that one failed call does not end a chain of many.
    public func asResult() -> AnyPublisher<Result<Output, Failure>, Never> {
        map(Result.success).catch { Just(.failure($0)) }.eraseToAnyPublisher()
    }
}

/// One subscription: a call that begins with the first demand.
private final class CallSubscription<Value: Sendable>: Subscription, Sendable {
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
