public import Dispatch

/// The closure that receives a call's result, on the main actor.
///
/// ```swift
/// func orders(completion: @escaping Completion<[Order]>) {
///     networkManager.request(endpoint: .orders, type: [Order].self, completion: completion)
/// }
/// ```
public typealias Completion<Value> = @MainActor @Sendable (Result<Value, APIClientError>) -> Void

/// Where a completion runs that belongs to no actor. A completion written on an actor, such as the main one, runs on that actor
/// whatever the queue.
public struct CallbackQueue: Sendable {
    private let executor: QueueExecutor

    private init(executor: QueueExecutor) {
        self.executor = executor
    }

    /// The given queue.
    public static func queue(_ queue: DispatchQueue) -> CallbackQueue { CallbackQueue(executor: QueueExecutor(queue)) }
    /// The main queue.
    public static let main = CallbackQueue.queue(.main)

    /// Runs an operation on the queue. If it awaits on an actor, that part runs on the actor.
    package func run(_ operation: @concurrent @Sendable () async -> Void) async {
        await withTaskExecutorPreference(executor) { await operation() }
    }

    /// Starts a call, and runs its completion here, exactly once. The call does not run here. The handle cancels the call.
    func start<Value>(
        _ call: @escaping @Sendable () async -> Response<Value>,
        then completion: @escaping @Sendable (Response<Value>) async -> Void
    ) -> Cancellable {
        let task = Task {
            let response = await call()
            await run { await completion(response) }
        }
        return Cancellable { task.cancel() }
    }
}

/// Lets a task run on a dispatch queue, so that "on this queue" and "on this actor" are the same `await`.
final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Stops a call. Cancelling twice, or after the end, does nothing.
///
/// ```swift
/// let both = Cancellable([manager.request(endpoint: .orders, type: [Order].self, completion: show), timer])
/// ```
public struct Cancellable: Sendable {
    private let onCancel: @Sendable () -> Void

    /// Makes a handle from a function that cancels, called on each ``cancel()``, on its caller's thread.
    public init(_ onCancel: @escaping @Sendable () -> Void = {}) {
        self.onCancel = onCancel
    }

    /// Several in one.
    public init(_ parts: [Cancellable]) {
        self.init { for part in parts { part.cancel() } }
    }

    /// Aborts the exchange; the completion receives ``APIClientError/cancelled(_:)`` unless the result was already being
    /// delivered. A retry manually has its own task, and does not end.
    public func cancel() { onCancel() }
}
