public import Dispatch

/// The closure that receives a call's result, on the main actor.
///
/// ```swift
/// func orders(completion: @escaping Completion<[Order]>) {
///     networkManager.request(endpoint: .orders, type: [Order].self, completion: completion)
/// }
/// ```
public typealias Completion<Value> = @MainActor @Sendable (Result<Value, APIClientError>) -> Void

/// Where a completion runs that belongs to no actor.
///
/// A completion written on an actor, such as the main one, runs on that actor whatever the queue.
public struct CallbackQueue: Sendable {
    private let executor: QueueExecutor

    private init(executor: QueueExecutor) {
        self.executor = executor
    }

    /// The given queue.
    public static func queue(_ queue: DispatchQueue) -> CallbackQueue {
        CallbackQueue(executor: QueueExecutor(queue))
    }

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

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
