public import Dispatch

/// Runs calls, as ``CommonDispatcher`` does. A team may write its own, or wrap that one, for a ``NetworkManager``.
///
/// Called once per call, concurrently, and off every actor, so that no decoding runs on the main thread. It does not throw: a
/// failure is part of the response. Attempts made manually, ``Response/retry(max:delay:)``, belong to the call that made the
/// response and do not pass through here again.
public protocol Dispatcher: Sendable {
    /// Makes a call and returns everything known about it when it ends.
    @concurrent
    func response<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>
    ) async -> Response<Value>

    /// Where completions run that belong to no actor. Default the main queue.
    var callbackQueue: CallbackQueue { get }
}

/// The dispatcher that runs the kit's pipeline over a channel. It is immutable. A plain copy shares the channel's connections and
/// credentials; ``isolatedCopy(transport:)`` shares nothing.
public struct CommonDispatcher: Dispatcher {
    let prepared: PreparedChannel

    /// Uses a channel, or a test's replacement of it; see `withChannel` in CoreAPITesting.
    public init(channel: Channel) { self.init(resolved: ChannelOverride.resolve(channel)) }
    private init(resolved channel: Channel) { prepared = PreparedChannel(channel) }

    /// Uses a channel that its caller made, and whose name means nothing to a test. A given transport stays.
    package init(onTheSpot channel: Channel, isTransportGiven: Bool) {
        self.init(resolved: isTransportGiven ? ChannelOverride.resolve(channel) : ChannelOverride.resolve(anonymous: channel))
    }

    /// A dispatcher over the same channel that shares none of the kit's state: no connection, no credential, no cookie. Its
    /// environment is fixed to the current one of the switch. Hooks are copied by their `isolatedCopy()`. A given transport
    /// sends every attempt, also in place of fixtures. Without one the copy has a copy of the channel's own transport, with its
    /// own connections.
    public func isolatedCopy(transport: (any Transport)? = nil) -> CommonDispatcher {
        CommonDispatcher(resolved: channel.isolated(transport: transport))
    }

    /// The channel of its calls.
    public var channel: Channel { prepared.channel }
    public var callbackQueue: CallbackQueue { channel.callbackQueue }

    @concurrent
    public func response<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>
    ) async -> Response<Value> { Response(delivering: await Pipeline.run(Call(prepared.current, endpoint, decoding))) }
}

extension Response {
    init(delivering raw: RawResponse) {
        let result: Result<Value, APIClientError>
        switch (raw.failure, raw.reading) {
        case (let failure?, _): result = .failure(failure)
        case (nil, .value(let value as Value)), (nil, .resolved(let value as Value, _)): result = .success(value)
        // Only a middleware can have put another call's response here.
        default:
            let mismatch = RetryResult.Mismatch(expected: "\(Value.self)", found: "the response of another call")
            result = .failure(.unknown(mismatch, APIClientError.Context(raw)))
        }
        self.init(raw, result, isDelivered: true)
    }
}

extension Dispatcher {
    public var callbackQueue: CallbackQueue { .main }

    /// Sends a request and returns the value that `decoding` makes of its response: `request(.get("motd"), as: .text)`. Throws
    /// ``APIClientError``, by the stage that failed; `.cancelled` if the task was cancelled.
    public func request<Value: Sendable>(
        _ endpoint: some Endpoint, as decoding: ResponseDecoding<Value>
    ) async throws(APIClientError) -> Value { try await response(for: endpoint, as: decoding).value }

    /// As `request(_:as:)`, for a decodable value: `request(.get("orders/\(segment: id)"), as: Order.self)`.
    public func request<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint, as type: Value.Type
    ) async throws(APIClientError) -> Value { try await response(for: endpoint, as: .decodable(type)).value }

    /// As `request(_:as:)`, for the endpoint's own output, by default `Void`: `request(OrderEndpoints.all)`,
    /// `request(OrderEndpoints.place(order))`, `request(.delete("orders/\(segment: id)"))`.
    public func request<Item: Endpoint>(_ endpoint: Item) async throws(APIClientError) -> Item.Output {
        try await response(for: endpoint, as: endpoint.decoding).value
    }

    /// As `response(for:as:)`, for a decodable value.
    public func response<Value: Decodable & Sendable>(for endpoint: some Endpoint, as type: Value.Type) async -> Response<Value> {
        await response(for: endpoint, as: .decodable(type))
    }

    /// As `response(for:as:)`, for the endpoint's own output.
    public func response<Item: Endpoint>(for endpoint: Item) async -> Response<Item.Output> {
        await response(for: endpoint, as: endpoint.decoding)
    }

    /// Sends a request and calls back with the whole response, exactly once, after a cancellation too. A completion written on an
    /// actor, such as the main one, runs there; any other on the queue, by default ``Dispatcher/callbackQueue``. The handle,
    /// which cancels the call, need not be kept. See ``Response/retry(max:delay:)`` for a manual retry.
    @discardableResult
    public func response<Value: Sendable>(
        for endpoint: any Endpoint, as decoding: ResponseDecoding<Value>, queue: CallbackQueue? = nil,
        // Lets a closure written on an actor stay on it, as `Task.init` does.
        @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Response<Value>) -> Void
    ) -> Cancellable { start(endpoint, decoding, on: queue) { await completion($0) } }

    /// Starts a call, and runs its completion on the queue, exactly once. The call does not run there. The handle cancels it.
    func start<Value>(
        _ endpoint: any Endpoint, _ decoding: ResponseDecoding<Value>, on queue: CallbackQueue? = nil,
        then completion: @escaping @Sendable (Response<Value>) async -> Void
    ) -> Cancellable {
        let queue = queue ?? callbackQueue
        let task = Task {
            let response = await response(for: endpoint, as: decoding)
            await queue.run { await completion(response) }
        }
        return Cancellable { task.cancel() }
    }

    /// Returns a call's response as soon as the head has arrived; the body follows. See ``Body`` and ``ResponseDecoding/stream``.
    ///
    /// ```swift
    /// let response = await manager.stream(.get("exports/\(segment: id)"))
    /// for try await chunk in try response.value { hash.update(chunk) }
    /// ```
    ///
    /// ``Timeout/total`` applies until the head arrives, ``Timeout/idle`` while the reader waits for the peer. A body that its
    /// reader holds keeps its connection and does not time out. Leaving the loop ends the exchange. A response with a rejected
    /// status is collected and fails the call, as without streaming.
    public func stream(_ endpoint: some Endpoint) async -> Response<Body> { await response(for: endpoint, as: .stream) }
}

/// A closure that receives a call's result, on the main actor.
///
/// ```swift
/// func orders(completion: @escaping Completion<[Order]>) {
///     networkManager.request(endpoint: .orders, type: [Order].self, completion: completion)
/// }
/// ```
public typealias Completion<Value> = @MainActor @Sendable (Result<Value, APIClientError>) -> Void

/// Where a completion runs that belongs to no actor. One written on an actor, such as the main one, runs there.
public struct CallbackQueue: Sendable {
    private let executor: QueueExecutor

    /// The given queue.
    public static func queue(_ queue: DispatchQueue) -> CallbackQueue { CallbackQueue(executor: QueueExecutor(queue)) }
    /// The main queue.
    public static let main = CallbackQueue.queue(.main)

    /// Runs an operation on the queue. If it awaits on an actor, that part runs on the actor.
    package func run(_ operation: @concurrent @Sendable () async -> Void) async {
        await withTaskExecutorPreference(executor) { await operation() }
    }
}

/// Lets a task run on a dispatch queue, so that "on this queue" and "on this actor" are the same `await`.
final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Stops a call, or several. Cancelling twice, or after the end, does nothing.
///
/// ```swift
/// let both = Cancellable([manager.request(endpoint: .orders, type: [Order].self, completion: show), timer])
/// ```
public struct Cancellable: Sendable {
    private let onCancel: @Sendable () -> Void

    /// Makes a handle from a function that cancels, called on each ``cancel()``, on its caller's thread.
    public init(_ onCancel: @escaping @Sendable () -> Void = {}) { self.onCancel = onCancel }
    /// Several in one.
    public init(_ parts: [Cancellable]) { self.init { for part in parts { part.cancel() } } }

    /// Aborts the exchange; the completion receives ``APIClientError/cancelled(_:)`` unless the result was already being
    /// delivered. A manual retry has its own task, and does not end.
    public func cancel() { onCancel() }
}
